//! The cases by topic; `oxide run tests/run -- TOPIC` runs one.

meaning::topics! {
    adapters arrays callables calls casts cells closures combinators compare constants consumers control discriminants drops dynamic
    endings enums float_functions float_signs floats generics guarded_shifts halves integer_functions integer_signs integers iterators
    matches memory names niches objects operators options overflow panics patterns places pointers ranges representations slices slicing
    small_arrays structs tables tails texts unstable_functions vectors widened_signed widened_unsigned wrappers zero_sized
}
