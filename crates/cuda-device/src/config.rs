//! A vocabulary for kernels that are tuned by types: shapes, layouts, memory spaces, scopes, and policies that name a choice of them.
//!
//! Nothing here is device code. A kernel takes a [`Policy`] as type parameter and reads its constants:
//!
//! ```
//! use cuda_device::config::{Block, Policy, PolicyId, RowMajor, Shape, Shape2, Shared, Tile, TileSpec};
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
//! assert_eq!(<<Wide as Tuning>::Stage as TileSpec>::Shape::ELEMENTS, Some(4096));
//! ```

use core::marker::PhantomData;

/// A shape that is a type, of at most three dimensions.
pub trait Shape {
    /// The number of dimensions.
    const RANK: u8;
    /// The extent of each; 1 for those that there are not.
    const EXTENTS: [usize; 3];
    /// The product of the extents, unless it overflows.
    const ELEMENTS: Option<usize>;
}

macro_rules! shapes {
    ($($name:ident<$($extent:ident),*> = $rank:literal, $extents:expr;)*) => {$(
        #[doc = concat!("A shape of rank ", stringify!($rank), ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name<$(const $extent: usize),*>;

        impl<$(const $extent: usize),*> $name<$($extent),*> {
            $(
                /// An extent.
                pub const $extent: usize = $extent;
            )*
        }

        impl<$(const $extent: usize),*> Shape for $name<$($extent),*> {
            const RANK: u8 = $rank;
            const EXTENTS: [usize; 3] = $extents;
            const ELEMENTS: Option<usize> = product($extents);
        }
    )*};
}

shapes! {
    Shape1<D0> = 1, [D0, 1, 1];
    Shape2<D0, D1> = 2, [D0, D1, 1];
    Shape3<D0, D1, D2> = 3, [D0, D1, D2];
}

const fn product([x, y, z]: [usize; 3]) -> Option<usize> {
    if x == 0 || y == 0 || z == 0 {
        return Some(0);
    }
    match x.checked_mul(y) {
        Some(plane) => plane.checked_mul(z),
        None => None,
    }
}

macro_rules! words {
    ($(#[$about:meta] $group:ident: $(#[$meaning:meta] $word:ident)*;)*) => {$(
        #[$about]
        pub trait $group {}

        $(
            #[$meaning]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

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
#[derive(Clone, Copy, Debug)]
pub struct Tile<S, L, M, Q>(PhantomData<(S, L, M, Q)>);

/// What a [`Tile`] is made of.
pub trait TileSpec {
    /// Its shape.
    type Shape: Shape;
    /// The order of its elements.
    type Layout: Layout;
    /// Where it lies.
    type MemorySpace: MemorySpace;
    /// Who works on it.
    type Scope: Scope;
}

impl<S: Shape, L: Layout, M: MemorySpace, Q: Scope> TileSpec for Tile<S, L, M, Q> {
    type Shape = S;
    type Layout = L;
    type MemorySpace = M;
    type Scope = Q;
}

/// What an [`Atom`] does: a name of the program's own.
pub trait AtomKind {}

/// One operation of kind `K` and shape `S`, which `Q` does together: a copy, a multiplication of small matrices.
#[derive(Clone, Copy, Debug)]
pub struct Atom<K: AtomKind, S, Q>(PhantomData<(K, S, Q)>);

/// What an [`Atom`] is made of.
pub trait AtomSpec {
    /// What it does.
    type Kind: AtomKind;
    /// Its shape.
    type Shape: Shape;
    /// Who does it.
    type Scope: Scope;
}

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
    /// Its identity.
    const ID: PolicyId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_count_their_elements() {
        fn facts<S: Shape>() -> (u8, [usize; 3], Option<usize>) {
            (S::RANK, S::EXTENTS, S::ELEMENTS)
        }
        assert_eq!(facts::<Shape1<7>>(), (1, [7, 1, 1], Some(7)));
        assert_eq!(facts::<Shape2<2, 3>>(), (2, [2, 3, 1], Some(6)));
        assert_eq!(facts::<Shape3<2, 3, 4>>(), (3, [2, 3, 4], Some(24)));
        assert_eq!((Shape3::<2, 3, 4>::D0, Shape3::<2, 3, 4>::D1, Shape3::<2, 3, 4>::D2), (2, 3, 4));
        assert_eq!(Shape2::<{ usize::MAX }, 2>::ELEMENTS, None);
        assert_eq!(Shape3::<{ usize::MAX }, 2, 0>::ELEMENTS, Some(0));
    }

    #[test]
    fn specs_name_their_parts() {
        enum Multiply {}
        impl AtomKind for Multiply {}
        fn elements<A: AtomSpec<Kind = Multiply, Scope = Warp>>() -> Option<usize> {
            A::Shape::ELEMENTS
        }
        assert_eq!(elements::<Atom<Multiply, Shape3<16, 8, 16>, Warp>>(), Some(2048));
        fn extents<T: TileSpec<Layout = ColumnMajor, MemorySpace = TensorMemory, Scope = WarpGroup>>() -> [usize; 3] {
            T::Shape::EXTENTS
        }
        assert_eq!(extents::<Tile<Shape2<8, 4>, ColumnMajor, TensorMemory, WarpGroup>>(), [8, 4, 1]);
        let id = PolicyId::new(1, 2);
        assert_eq!((id.namespace(), id.value()), (1, 2));
        assert!(id < PolicyId::new(1, 3));
    }
}
