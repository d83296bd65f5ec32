//! The cases by topic; `oxide run tests/run -- TOPIC` runs one.

meaning::topics! {
    arrays calls casts closures compare constants drops dynamic enums floats generics integers iterators matches niches options overflow pointers
    slices structs
}
