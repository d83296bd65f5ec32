//! `#[derive(Sum)]` adds up a struct's fields.

use proc_macro::{Delimiter, TokenStream, TokenTree};

/// Writes `fn sum(&self) -> u64`, in which each field is cast.
#[proc_macro_derive(Sum)]
pub fn sum(item: TokenStream) -> TokenStream {
    let mut tokens = item.into_iter();
    let name = tokens.by_ref().skip_while(|token| token.to_string() != "struct").nth(1).expect("a struct has a name");
    let Some(TokenTree::Group(fields)) =
        tokens.find(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace))
    else {
        panic!("a struct with named fields is expected")
    };
    let tokens: Vec<String> = fields.stream().into_iter().map(|token| token.to_string()).collect();
    let terms: Vec<String> = tokens.windows(2).filter(|pair| pair[1] == ":").map(|pair| format!("self.{} as u64", pair[0])).collect();
    let sum = terms.join(").wrapping_add(");
    format!("impl {name} {{ pub fn sum(&self) -> u64 {{ 0u64.wrapping_add({sum}) }} }}").parse().expect("this is Rust")
}
