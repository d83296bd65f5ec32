//! A vocabulary for kernels that are tuned by types: shapes, layouts, memory spaces, scopes, and policies that name a choice of them.
//!
//! Nothing here is device code. A kernel takes a [`Policy`] as type parameter and reads its constants:
//!
//! ```
//! use cuda_device::config::{Block, Policy, PolicyId, RowMajor, Shape2, Shared, Tile, TileSpec};
//!
//! trait Tuning: Policy {
//!     type Stage: TileSpec;
//! }
//!
//! enum Wide {}
//! impl Policy for Wide {
//!     const ID: PolicyId = PolicyId::new(0x6d61_746d_756c, 1);
//! }
//! impl Tuning for Wide {
//!     type Stage = Tile<Shape2<128, 32>, RowMajor, Shared, Block>;
//! }
//! assert_eq!(<Wide as Tuning>::Stage::ELEMENTS, 4096);
//! ```

use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// A shape that is a type.
pub trait Shape: Sealed {
    /// The number of dimensions.
    const RANK: usize;
    /// The extent of each.
    const EXTENTS: &'static [usize];
    /// The product of the extents.
    const ELEMENTS: usize;
}

macro_rules! shapes {
    ($($name:ident<$($extent:ident),*> = $rank:literal;)*) => {$(
        #[doc = concat!("A shape of ", stringify!($rank), " dimensions.")]
        pub enum $name<$(const $extent: usize),*> {}

        impl<$(const $extent: usize),*> $name<$($extent),*> {
            /// The number of dimensions.
            pub const RANK: usize = $rank;
            /// The extent of each.
            pub const EXTENTS: [usize; $rank] = [$($extent),*];
            /// The product of the extents; one that overflows does not compile.
            pub const ELEMENTS: usize = 1 $(* $extent)*;
        }

        impl<$(const $extent: usize),*> Sealed for $name<$($extent),*> {}
        impl<$(const $extent: usize),*> Shape for $name<$($extent),*> {
            const RANK: usize = Self::RANK;
            const EXTENTS: &'static [usize] = &Self::EXTENTS;
            const ELEMENTS: usize = Self::ELEMENTS;
        }
    )*};
}

shapes! {
    Shape1<X> = 1;
    Shape2<X, Y> = 2;
    Shape3<X, Y, Z> = 3;
}

macro_rules! words {
    ($(#[$about:meta] $group:ident: $(#[$meaning:meta] $word:ident)*;)*) => {$(
        #[$about]
        pub trait $group: Sealed {}

        $(
            #[$meaning]
            pub enum $word {}

            impl Sealed for $word {}
            impl $group for $word {}
        )*
    )*};
}

words! {
    /// The order of elements in memory.
    Layout:
    /// The last index runs fastest.
    RowMajor
    /// The first index runs fastest.
    ColumnMajor;

    /// Where data lies.
    MemorySpace:
    /// The memory of the device.
    Global
    /// The memory of a block.
    Shared
    /// The registers of threads.
    Register
    /// The tensor memory of a multiprocessor.
    TensorMemory;

    /// Who acts together.
    Scope:
    /// One thread.
    Thread
    /// 32 threads.
    Warp
    /// Four warps.
    WarpGroup
    /// The threads of a block.
    Block
    /// The blocks of a cluster.
    Cluster;
}

/// A tile of shape `S` and layout `L` in memory `M`, which `Q` works on together.
pub struct Tile<S, L, M, Q>(PhantomData<(S, L, M, Q)>);

/// What a [`Tile`] is made of.
pub trait TileSpec: Sealed {
    /// Its shape.
    type Shape: Shape;
    /// The order of its elements.
    type Layout: Layout;
    /// Where it lies.
    type Space: MemorySpace;
    /// Who works on it.
    type Scope: Scope;
    /// The number of its elements.
    const ELEMENTS: usize = Self::Shape::ELEMENTS;
}

impl<S, L, M, Q> Sealed for Tile<S, L, M, Q> {}
impl<S: Shape, L: Layout, M: MemorySpace, Q: Scope> TileSpec for Tile<S, L, M, Q> {
    type Shape = S;
    type Layout = L;
    type Space = M;
    type Scope = Q;
}

/// What an [`Atom`] does: a name of the program's own.
pub trait AtomKind {}

/// One operation of kind `K` and shape `S`, which `Q` does together: a copy, a multiplication of small matrices.
pub struct Atom<K, S, Q>(PhantomData<(K, S, Q)>);

/// What an [`Atom`] is made of.
pub trait AtomSpec: Sealed {
    /// What it does.
    type Kind: AtomKind;
    /// Its shape.
    type Shape: Shape;
    /// Who does it.
    type Scope: Scope;
}

impl<K, S, Q> Sealed for Atom<K, S, Q> {}
impl<K: AtomKind, S: Shape, Q: Scope> AtomSpec for Atom<K, S, Q> {
    type Kind = K;
    type Shape = S;
    type Scope = Q;
}

/// A number that stands for a policy: `namespace` is its author's, `value` one among theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    namespace: u64,
    value: u64,
}

impl PolicyId {
    /// The id of these two.
    pub const fn new(namespace: u64, value: u64) -> Self {
        Self { namespace, value }
    }

    /// Whose policy it is.
    pub const fn namespace(self) -> u64 {
        self.namespace
    }

    /// Which of theirs.
    pub const fn value(self) -> u64 {
        self.value
    }
}

/// A choice of tiles, atoms and numbers, made before a kernel is compiled.
pub trait Policy {
    /// What tells it from others.
    const ID: PolicyId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_count_their_elements() {
        assert_eq!((Shape1::<7>::RANK, Shape1::<7>::EXTENTS, Shape1::<7>::ELEMENTS), (1, [7], 7));
        assert_eq!((Shape3::<2, 3, 4>::EXTENTS, Shape3::<2, 3, 4>::ELEMENTS), ([2, 3, 4], 24));
        assert_eq!((<Shape2<2, 3> as Shape>::EXTENTS, <Shape2<2, 3> as Shape>::RANK), (&[2, 3][..], 2));
    }

    #[test]
    fn specs_name_their_parts() {
        enum Multiply {}
        impl AtomKind for Multiply {}
        fn elements<A: AtomSpec<Scope = Warp>>() -> usize {
            A::Shape::ELEMENTS
        }
        assert_eq!(elements::<Atom<Multiply, Shape3<16, 8, 16>, Warp>>(), 2048);
        assert_eq!(Tile::<Shape2<8, 8>, ColumnMajor, Register, Thread>::ELEMENTS, 64);
        let id = PolicyId::new(1, 2);
        assert_eq!((id.namespace(), id.value()), (1, 2));
        assert!(id < PolicyId::new(1, 3));
    }
}
