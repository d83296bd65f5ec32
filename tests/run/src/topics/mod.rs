//! The cases by topic; `oxide run tests/run -- TOPIC` runs one.

meaning::topics! {
    adapters arrays callables calls casts cells closures combinators compare constants consumers control discriminants drops dynamic
    endings enums float_functions floats generics halves integer_functions integer_signs integers iterators matches memory names niches
    objects operators options overflow panics patterns places pointers ranges representations slices slicing structs tables tails texts
    unstable_functions vectors wrappers zero_sized
}
