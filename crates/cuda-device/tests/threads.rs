//! What belongs to one thread of a GPU is not sent to another, nor shared: it compiles only where that is so.

use cuda_device::thread::{ThreadCoord2D32, ThreadIndex, ThreadIndex32};

/// Two implementations, so that which one is meant is unclear, and an error, for a type that has the trait.
macro_rules! is_not {
    ($trait:ident: $($type:ty),*) => {{
        trait Either<Which> {
            fn meant() {}
        }
        struct WithTheTrait;
        impl<T> Either<()> for T {}
        impl<T: $trait> Either<WithTheTrait> for T {}
        $(<$type as Either<_>>::meant();)*
    }};
}

#[test]
fn indices_stay_in_their_thread() {
    is_not!(Send: ThreadIndex<'static>, ThreadIndex32<'static>, ThreadCoord2D32<'static>);
    is_not!(Sync: ThreadIndex<'static>, ThreadIndex32<'static>, ThreadCoord2D32<'static>);
    is_not!(Clone: ThreadIndex<'static>, ThreadIndex32<'static>, ThreadCoord2D32<'static>);
}
