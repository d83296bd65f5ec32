//! The entries that `#[kernel(TypeA, TypeB)]` names, each a kernel that is not generic.
//!
//! ```text
//! #[kernel(f32)]                               →    fn scale_f32(factor: f32, out: DisjointSlice<f32>) {
//! fn scale<T>(factor: T, out: DisjointSlice<T>)         scale::<f32>(factor, out)
//! ```

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Error, Expr, ExprPath, FnArg, GenericParam, Ident, ItemFn, Pat, Path, QSelf, Safety, Signature, Type, TypePath, parse_quote,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use crate::launch::Launch;

/// A kernel with its attributes.
pub struct Instance {
    pub function: ItemFn,
    pub launch: Launch,
}

/// An entry for each type, which calls `callee` with what the kernel takes.
pub fn entries(function: &ItemFn, callee: &Ident, types: &[Type], launch: &Launch) -> Result<Vec<Instance>, Error> {
    let Some(first) = types.first() else { return Ok(Vec::new()) };
    let mut parameters = function.sig.generics.params.iter().filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)));
    let (Some(GenericParam::Type(parameter)), None) = (parameters.next(), parameters.next()) else {
        return Err(Error::new(first.span(), "types are for a kernel with exactly one type parameter and no constant"));
    };
    types.iter().map(|kind| entry(function, callee, &parameter.ident, kind, launch)).collect()
}

fn entry(function: &ItemFn, callee: &Ident, parameter: &Ident, kind: &Type, launch: &Launch) -> Result<Instance, Error> {
    let Type::Path(TypePath { path, .. }) = kind else {
        return Err(Error::new(kind.span(), "an entry is named after the last segment of a path: this type needs a name"));
    };
    let Some(last) = path.segments.last().map(|segment| &segment.ident) else {
        return Err(Error::new(kind.span(), "a type without a name"));
    };
    let kernel = &function.sig.ident;
    let mut signature = function.sig.clone();
    signature.ident = format_ident!("{kernel}_{last}", span = kernel.span());
    let lifetimes = signature.generics.params.into_iter().filter(|parameter| matches!(parameter, GenericParam::Lifetime(_)));
    signature.generics.params = lifetimes.collect();
    signature.generics.where_clause = None;
    let call = pass_on(&mut signature, callee, &quote!(::<#kind>));
    let visibility = &function.vis;
    let attributes = function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("doc"));
    let mut substitute = Substitute { parameter, kind };
    let mut launch = launch.clone();
    launch.expressions().for_each(|expression| substitute.visit_expr_mut(expression));
    let markers = launch.markers();
    let mut function: ItemFn = parse_quote! {
        #(#attributes)*
        #[allow(non_snake_case)]
        #visibility #signature {
            #markers
            #call
        }
    };
    substitute.visit_item_fn_mut(&mut function);
    Ok(Instance { function, launch })
}

/// The call of a function with the parameters of this signature, which become plain names.
pub fn pass_on(signature: &mut Signature, callee: &Ident, turbofish: &TokenStream) -> TokenStream {
    let mut arguments = Vec::new();
    for input in &mut signature.inputs {
        if let FnArg::Typed(input) = input
            && let Pat::Ident(pattern) = &mut *input.pat
        {
            pattern.mutability = None;
            arguments.push(pattern.ident.clone());
        }
    }
    let call = quote!(#callee #turbofish (#(#arguments),*));
    if matches!(signature.safety, Safety::Unsafe(_)) {
        quote! {
            // SAFETY: passed on.
            unsafe { #call }
        }
    } else {
        call
    }
}

/// Puts a type in the place of a type parameter.
struct Substitute<'a> {
    parameter: &'a Ident,
    kind: &'a Type,
}

impl Substitute<'_> {
    /// `T::Name` as `<f32>::Name`.
    fn qualify(&self, qself: &mut Option<QSelf>, path: &mut Path) {
        if qself.is_none() && path.leading_colon.is_none() && path.segments.len() > 1 && path.segments[0].ident == *self.parameter {
            let (kind, rest) = (self.kind, path.segments.iter().skip(1));
            let qualified: ExprPath = parse_quote!(<#kind>::#(#rest)::*);
            *qself = qualified.qself;
            *path = qualified.path;
        }
    }
}

impl VisitMut for Substitute<'_> {
    fn visit_type_mut(&mut self, kind: &mut Type) {
        visit_mut::visit_type_mut(self, kind);
        if let Type::Path(path) = kind {
            if path.qself.is_none() && path.path.is_ident(self.parameter) {
                *kind = self.kind.clone();
            } else {
                self.qualify(&mut path.qself, &mut path.path);
            }
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Expr::Path(path) = expression {
            self.qualify(&mut path.qself, &mut path.path);
        }
    }
}
