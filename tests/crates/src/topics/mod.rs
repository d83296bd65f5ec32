//! The cases by topic; `oxide run tests/crates -- TOPIC` runs one.

meaning::topics! {
    bytes collections complex formats hashes instances iteration lanes libraries library mathematics matrices numbers random vectors wide
}
