//! The size relations of a contract: `requires = (out.len() >= rows * columns)`.
//!
//! One comparison of two expressions over lengths of slice parameters, unsigned parameters and integer literals, with `+`, `-`, `*` and
//! parentheses.

use syn::{BinOp, Error, Expr, Ident, Lit, Type, spanned::Spanned};

use crate::signature::{Argument, Parameter};

/// Refuses what is no relation over these parameters.
pub fn check(relation: &Expr, parameters: &[Parameter]) -> Result<(), Error> {
    match relation {
        Expr::Paren(inner) => check(&inner.expr, parameters),
        Expr::Group(inner) => check(&inner.expr, parameters),
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

fn check_size(size: &Expr, parameters: &[Parameter]) -> Result<(), Error> {
    let parameter = |name: &Ident| parameters.iter().find(|parameter| parameter.name == *name);
    match size {
        Expr::Paren(inner) => check_size(&inner.expr, parameters),
        Expr::Group(inner) => check_size(&inner.expr, parameters),
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
        Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => Ok(()),
        Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() && call.turbofish.is_none() => match name(&call.receiver) {
            Some(slice) => match parameter(slice).map(|parameter| &parameter.argument) {
                Some(Argument::Slice(_) | Argument::SliceMut(_) | Argument::Disjoint { .. }) => Ok(()),
                Some(_) => Err(Error::new(slice.span(), format!("the parameter `{slice}` is no slice"))),
                None => Err(unknown(slice)),
            },
            None => Err(Error::new(call.receiver.span(), "a length is that of a slice parameter: `name.len()`")),
        },
        Expr::Path(_) if let Some(found) = name(size) => match parameter(found).map(|parameter| &parameter.argument) {
            Some(Argument::Slice(_) | Argument::SliceMut(_) | Argument::Disjoint { .. }) => {
                Err(Error::new(found.span(), format!("a slice is no size: write `{found}.len()`")))
            }
            Some(Argument::Value(kind)) if is_unsigned(kind) => Ok(()),
            Some(Argument::Uniform { element, .. }) if is_unsigned(element) => Ok(()),
            Some(_) => Err(Error::new(found.span(), format!("the parameter `{found}` is no unsigned integer of up to 64 bits"))),
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
        Expr::Group(inner) => name(&inner.expr),
        _ => None,
    }
}

fn is_unsigned(kind: &Type) -> bool {
    match kind {
        Type::Path(path) => ["u8", "u16", "u32", "u64", "usize"].iter().any(|unsigned| path.path.is_ident(unsigned)),
        Type::Group(group) => is_unsigned(&group.elem),
        Type::Paren(paren) => is_unsigned(&paren.elem),
        _ => false,
    }
}
