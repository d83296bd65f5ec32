//! The size relations of a contract: `requires = (out.len() >= rows * columns)`.
//!
//! One comparison of two expressions over lengths of slice parameters, unsigned parameters and integer literals, with `+`, `-`, `*` and
//! parentheses.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{BinOp, Error, Expr, Ident, Lit, Type, spanned::Spanned};

use crate::{
    launch,
    signature::{Argument, Parameter},
};

/// Refuses anything but a relation over these parameters.
pub fn check(relation: &Expr, parameters: &[Parameter]) -> Result<(), Error> {
    match relation {
        Expr::Paren(inner) => check(&inner.expr, parameters),
        Expr::Binary(comparison) => match comparison.op {
            BinOp::Ge(_) | BinOp::Gt(_) | BinOp::Le(_) | BinOp::Lt(_) | BinOp::Eq(_) | BinOp::Ne(_) => {
                check_size(&comparison.left, parameters)?;
                check_size(&comparison.right, parameters)
            }
            operator => Err(Error::new(operator.span(), "a size relation is one comparison: `>=`, `>`, `<=`, `<`, `==` or `!=`")),
        },
        _ => Err(Error::new(relation.span(), "a size relation is one comparison, such as `a.len() >= n`")),
    }
}

/// A statement that evaluates the relation in checked 64-bit arithmetic and returns what is wrong with it; `length` gives the elements of a
/// slice parameter.
pub fn requirement(kernel: &str, relation: &Expr, parameters: &[Parameter], length: &dyn Fn(&Parameter) -> TokenStream) -> TokenStream {
    let Expr::Binary(comparison) = without_parentheses(relation) else { return TokenStream::new() };
    let holds = match comparison.op {
        BinOp::Ge(_) => quote!(ge),
        BinOp::Gt(_) => quote!(gt),
        BinOp::Le(_) => quote!(le),
        BinOp::Lt(_) => quote!(lt),
        BinOp::Eq(_) => quote!(eq),
        _ => quote!(ne),
    };
    let [left, right] = [&comparison.left, &comparison.right].map(|side| size(side, parameters, length));
    let text = text(relation);
    quote!(::cuda_host::launch::require(#kernel, #text, #left, ::cuda_host::launch::size::#holds, #right)?;)
}

/// The value of a size: an `Option<u64>`, `None` where it has none.
fn size(size_expression: &Expr, parameters: &[Parameter], length: &dyn Fn(&Parameter) -> TokenStream) -> TokenStream {
    let parameter = |expression| name(expression).and_then(|name| parameters.iter().find(|parameter| parameter.name == *name));
    match without_parentheses(size_expression) {
        Expr::Binary(operation) => {
            let function = match operation.op {
                BinOp::Add(_) => quote!(add),
                BinOp::Sub(_) => quote!(sub),
                _ => quote!(mul),
            };
            let [left, right] = [&operation.left, &operation.right].map(|side| size(side, parameters, length));
            quote!(::cuda_host::launch::size::#function(#left, #right))
        }
        Expr::MethodCall(call) if let Some(slice) = parameter(&call.receiver) => {
            let length = length(slice);
            quote!(::core::option::Option::Some(#length))
        }
        path if let Some(Parameter { name, .. }) = parameter(path) => quote!(::cuda_host::launch::size::of(#name)),
        literal => {
            let number = launch::number(literal).unwrap_or_default();
            quote!(::core::option::Option::Some(#number))
        }
    }
}

fn without_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => without_parentheses(&inner.expr),
        _ => expression,
    }
}

/// The relation as its author writes it: `a.len() >= 2 * n`.
fn text(relation: &Expr) -> String {
    match relation {
        Expr::Paren(inner) => format!("({})", text(&inner.expr)),
        Expr::Binary(operation) => format!("{} {} {}", text(&operation.left), operation.op.to_token_stream(), text(&operation.right)),
        Expr::MethodCall(call) => format!("{}.{}()", text(&call.receiver), call.method),
        other => other.to_token_stream().to_string(),
    }
}

fn check_size(size: &Expr, parameters: &[Parameter]) -> Result<(), Error> {
    let parameter = |name: &Ident| parameters.iter().find(|parameter| parameter.name == *name);
    match size {
        Expr::Paren(inner) => check_size(&inner.expr, parameters),
        Expr::Binary(operation) => match operation.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) => {
                check_size(&operation.left, parameters)?;
                check_size(&operation.right, parameters)
            }
            BinOp::Ge(_) | BinOp::Gt(_) | BinOp::Le(_) | BinOp::Lt(_) | BinOp::Eq(_) | BinOp::Ne(_) => {
                Err(Error::new(operation.op.span(), "a size relation is one comparison: comparisons cannot be chained"))
            }
            operator => Err(Error::new(operator.span(), "a size is computed with `+`, `-` and `*`")),
        },
        Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => match launch::number(size) {
            Some(_) => Ok(()),
            None => Err(Error::new(literal.span(), "a size has 64 bits")),
        },
        Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() && call.turbofish.is_none() => match name(&call.receiver) {
            Some(slice) => match parameter(slice).map(|parameter| &parameter.argument) {
                Some(Argument::Slice(_) | Argument::SliceMut(_) | Argument::Disjoint { .. }) => Ok(()),
                Some(_) => Err(Error::new(slice.span(), format!("the parameter `{slice}` is not a slice"))),
                None => Err(unknown(slice)),
            },
            None => Err(Error::new(call.receiver.span(), "a length is that of a slice parameter: `name.len()`")),
        },
        Expr::Path(_) if let Some(found) = name(size) => match parameter(found).map(|parameter| &parameter.argument) {
            Some(Argument::Slice(_) | Argument::SliceMut(_) | Argument::Disjoint { .. }) => {
                Err(Error::new(found.span(), format!("a slice is not a size: write `{found}.len()`")))
            }
            Some(Argument::Value(kind)) if is_unsigned(kind) => Ok(()),
            Some(Argument::Uniform { element, .. }) if is_unsigned(element) => Ok(()),
            Some(_) => Err(Error::new(found.span(), format!("the parameter `{found}` is not an unsigned integer of up to 64 bits"))),
            None => Err(unknown(found)),
        },
        _ => Err(Error::new(size.span(), "a size is made of lengths of slices, unsigned parameters, integer literals, `+`, `-` and `*`")),
    }
}

fn unknown(name: &Ident) -> Error {
    Error::new(name.span(), format!("the kernel has no parameter `{name}`"))
}

fn name(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

fn is_unsigned(kind: &Type) -> bool {
    match kind {
        Type::Path(path) => ["u8", "u16", "u32", "u64", "usize"].iter().any(|unsigned| path.path.is_ident(unsigned)),
        Type::Paren(paren) => is_unsigned(&paren.elem),
        _ => false,
    }
}
