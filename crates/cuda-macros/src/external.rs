//! `#[device] extern "C"`: functions that are linked in later.
//!
//! ```text
//! #[device]                                    pub unsafe fn dot(a: *const f32, n: u32) -> f32 {
//! extern "C" {                             →       call::<(*const f32, u32), f32>("dot", READONLY, (a, n))
//!     #[readonly]                              }
//!     fn dot(a: *const f32, n: u32) -> f32;
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Error, Expr, FnArg, ForeignItem, ForeignItemFn, ItemForeignMod, Lit, Meta, Pat, ReturnType, Type, spanned::Spanned};

use crate::signature::{self, Errors};

/// The attributes of an external function, with the constant of `cuda_device::external` for each.
const FACTS: [(&str, &str); 3] = [("convergent", "CONVERGENT"), ("pure", "PURE"), ("readonly", "READONLY")];

/// A function for each declaration.
pub fn expand(arguments: &TokenStream, block: ItemForeignMod) -> Result<TokenStream, Error> {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.add(arguments, "`#[device]` takes no arguments");
    }
    if let Some(abi) = block.abi.name.as_ref().filter(|abi| abi.value() != "C") {
        errors.add(abi, &format!("external device functions have the ABI \"C\", got \"{}\"", abi.value()));
    }
    let mut functions = TokenStream::new();
    for item in block.items {
        match item {
            ForeignItem::Fn(declared) => functions.extend(errors.keep(function(&declared))),
            other => errors.add(&other, "`#[device] extern \"C\"` declares functions"),
        }
    }
    errors.finish(functions)
}

fn function(declared: &ForeignItemFn) -> Result<TokenStream, Error> {
    let mut errors = Errors::default();
    let signature = &declared.sig;
    if let Some(variadic) = &signature.variadic {
        errors.add(variadic, "an external device function takes as many arguments as it has parameters");
    }
    if signature::is_generic(&signature.generics) {
        errors.add(&signature.generics, "an external device function has one symbol, and is not generic");
    }
    if let syn::Safety::Safe(safe) = &signature.safety {
        errors.add(safe, "an external device function is unsafe to call");
    }
    let mut facts = Vec::new();
    let mut symbol = signature.ident.to_string();
    let (mut kept, mut stated) = (Vec::new(), Vec::new());
    for attribute in &declared.attrs {
        match fact(attribute) {
            Some((name, constant)) if matches!(attribute.meta, Meta::Path(_)) => {
                if facts.contains(&constant) {
                    errors.add(attribute, &format!("a second `#[{name}]`"));
                }
                facts.push(constant);
                stated.push(attribute.path());
            }
            Some((name, _)) => errors.add(attribute, &format!("`#[{name}]` takes no arguments")),
            None if attribute.path().is_ident("link_name") => symbol = errors.keep(link_name(attribute)).unwrap_or(symbol),
            None => kept.push(attribute),
        }
    }
    if facts.contains(&"PURE") && facts.contains(&"READONLY") {
        errors.add(&signature.ident, "`#[pure]` is for functions that read no memory, `#[readonly]` for functions that do");
    }
    let mut names = Vec::new();
    let mut types: Vec<&Type> = Vec::new();
    for (number, input) in signature.inputs.iter().enumerate() {
        let FnArg::Typed(input) = input else {
            errors.add(input, "an external device function has no `self`");
            continue;
        };
        names.push(match &*input.pat {
            Pat::Ident(pattern) => pattern.ident.clone(),
            _ => format_ident!("argument_{number}", span = input.pat.span()),
        });
        types.push(&input.ty);
    }
    let (visibility, name, generics) = (&declared.vis, &signature.ident, &signature.generics);
    let visibility = match visibility {
        syn::Visibility::Inherited => quote!(pub),
        said => quote!(#said),
    };
    let output = match &signature.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, output) => quote!(#output),
    };
    let facts = facts.into_iter().map(|constant| format_ident!("{constant}", span = Span::mixed_site()));
    // The compiler's messages about the function point to its declaration.
    let call = quote_spanned! {name.span()=>
        // SAFETY: passed on: the caller knows the function.
        unsafe { ::cuda_device::external::call::<(#(#types,)*), #output>(#symbol, 0 #(| ::cuda_device::external::#facts)*, (#(#names,)*)) }
    };
    // They are read here, and were imported for that: where not, rustc reports that at the attribute.
    let imported = stated.into_iter().map(|path| {
        quote_spanned! {path.span()=>
            const _: () = {
                #[allow(unused_imports)]
                use #path as _;
            };
        }
    });
    errors.finish(quote! {
        #(#imported)*

        #(#kept)*
        #[allow(dead_code, non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
        #visibility unsafe fn #name #generics (#(#names: #types),*) -> #output {
            #call
        }
    })
}

/// Which fact an attribute states.
fn fact(attribute: &Attribute) -> Option<(&'static str, &'static str)> {
    let last = &attribute.path().segments.last()?.ident;
    FACTS.into_iter().find(|(name, _)| last == name)
}

fn link_name(attribute: &Attribute) -> Result<String, Error> {
    match &attribute.meta.require_name_value()?.value {
        Expr::Lit(literal) if let Lit::Str(name) = &literal.lit => Ok(name.value()),
        other => Err(Error::new(other.span(), "a symbol is a string")),
    }
}
