//! The cases by topic; `oxide run tests/run -- TOPIC` runs one.

meaning::topics! {
    adapters arrays calls casts cells closures compare constants consumers control discriminants drops dynamic enums floats generics
    halves integers iterators matches niches options overflow patterns places pointers representations slices slicing structs vectors
}
