//! What a fragment of `macro_rules!` brings into another macro (`$kernel:path`, `$value:expr`, `$element:ty`): its tokens in an invisible
//! group, which keeps them together until a macro gives them back to rustc, where it does nothing.
//!
//! ```text
//! 2 * ⟨a + b⟩          →    2 * (a + b)
//! slice(⟨buffer⟩)      →    slice(buffer)
//! ⟨Wrapping<u32>⟩::MAX →    <Wrapping<u32>>::MAX
//! ```

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{Expr, Type};

/// The tokens with parentheses in the place of the invisible groups that need some, and without the others.
pub fn open(tokens: TokenStream) -> TokenStream {
    let mut opened = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(group) = token else {
            opened.extend([token]);
            continue;
        };
        let content = open(group.stream());
        if group.delimiter() != Delimiter::None {
            let mut same = Group::new(group.delimiter(), content);
            same.set_span(group.span());
            opened.extend([TokenTree::Group(same)]);
            continue;
        }
        // Lints know by their span that nobody has written the parentheses.
        let span = Span::mixed_site().located_at(group.span());
        let before_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
        opened.extend(if before_path && is_type_alone(&content) {
            quote_spanned!(span=> <#content>)
        } else if is_compound(&content) {
            let mut parentheses = Group::new(Delimiter::Parenthesis, content);
            parentheses.set_span(span);
            quote!(#parentheses)
        } else {
            content
        });
    }
    opened
}

/// Whether the tokens are an expression or type that its neighbours could take apart.
fn is_compound(tokens: &TokenStream) -> bool {
    let is_compound_expression = matches!(
        syn::parse2(tokens.clone()),
        Ok(Expr::Assign(_)
            | Expr::Binary(_)
            | Expr::Break(_)
            | Expr::Cast(_)
            | Expr::Closure(_)
            | Expr::Range(_)
            | Expr::RawAddr(_)
            | Expr::Reference(_)
            | Expr::Return(_)
            | Expr::Struct(_)
            | Expr::Unary(_))
    );
    is_compound_expression || matches!(syn::parse2(tokens.clone()), Ok(Type::TraitObject(bounds)) if bounds.bounds.len() > 1)
}

/// Whether the tokens are a type that cannot be the head of a path as it is.
fn is_type_alone(tokens: &TokenStream) -> bool {
    match syn::parse2(tokens.clone()) {
        Ok(Type::Path(path)) => {
            path.path.segments.last().is_some_and(|last| !last.arguments.is_none()) && syn::parse2::<Expr>(tokens.clone()).is_err()
        }
        Ok(kind) => !matches!(kind, Type::Macro(_)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(tokens: TokenStream) -> Group {
        Group::new(Delimiter::None, tokens)
    }

    fn same(written: TokenStream, opened: TokenStream) {
        let spelled = |tokens: TokenStream| tokens.to_string().replace(' ', "");
        assert_eq!(spelled(open(written)), spelled(opened));
    }

    #[test]
    fn groups_become_parentheses_where_something_would_be_taken_apart() {
        for (written, opened) in [
            (quote!(a + b), quote!(2 * (a + b))),
            (quote!(a), quote!(2 * a)),
            (quote!(-1), quote!(2 * (-1))),
            (quote!(x as u32), quote!(2 * (x as u32))),
            (quote!(f(a + b)), quote!(2 * f(a + b))),
            (quote!(|x: u32| x + 1), quote!(2 * (|x: u32| x + 1))),
            (quote!(a.b[c]), quote!(2 * a.b[c])),
            (quote!({ a + b }), quote!(2 * { a + b })),
        ] {
            let inner = fragment(written);
            same(quote!(2 * #inner), opened.clone());
            let twice = fragment(quote!(#inner));
            same(quote!([2 * #twice]), quote!([#opened]));
        }
    }

    #[test]
    fn types_and_paths_stay_types_and_paths() {
        let (slice, bounds) = (fragment(quote!([f32])), fragment(quote!(dyn Copy + Send)));
        same(quote!((&#slice, &#bounds)), quote!((&[f32], &(dyn Copy + Send))));
        let (plain, generic, array) = (fragment(quote!(a::b)), fragment(quote!(Vec<f32>)), fragment(quote!([u8; 4])));
        same(quote!(#plain::<u8>), quote!(a::b::<u8>));
        same(quote!(#generic::new()), quote!(<Vec<f32>>::new()));
        same(quote!(#array::default()), quote!(<[u8; 4]>::default()));
        let turbofish = fragment(quote!(a::<u8>));
        same(quote!(#turbofish::b()), quote!(a::<u8>::b()));
    }
}
