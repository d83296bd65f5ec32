//! The cases by topic; `oxide run tests/run -- TOPIC` runs one.

use crate::case::Case;

macro_rules! topics {
    ($($name:ident)*) => {
        $(mod $name;)*
        pub const TOPICS: &[(&str, &[Case], &[Case])] = &[$((stringify!($name), $name::CASES, $name::TRAPS)),*];
    };
}

topics! {
    arrays calls casts closures compare constants drops enums floats generics integers iterators matches niches options overflow pointers
    slices structs
}
