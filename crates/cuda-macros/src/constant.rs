//! `#[constant]`: statics of a module that the host sets.

use std::fmt;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Error, GenericArgument, Ident, Item, ItemStatic, Meta, PathArguments, Type, ext::IdentExt, parse_quote};

use crate::signature::Errors;

/// A constant of a module.
pub struct Constant {
    name: Ident,
    value: Type,
    cfgs: Vec<Attribute>,
}

/// What `#[cuda_module]` makes the attribute's argument, as a mark that it has processed it.
const IN_MODULE: &str = "in a cuda_module";

/// `#[constant]` by itself: the item as it was, where `#[cuda_module]` has seen it.
pub fn expand(arguments: &TokenStream, item: TokenStream) -> TokenStream {
    if syn::parse2::<syn::LitStr>(arguments.clone()).is_ok_and(|text| text.value() == IN_MODULE) {
        return item;
    }
    let message = "`#[constant]` is for statics directly in a `#[cuda_module]`, whose `LoadedModule` sets them";
    let error = Error::new(Span::call_site(), message).into_compile_error();
    quote!(#error #item)
}

/// Finds the constants among a module's items.
///
/// # Errors
///
/// A static with the attribute that is not a `ConstantMemory<T>`.
pub fn take(items: &mut [Item]) -> Result<Vec<Constant>, Error> {
    let mut errors = Errors::default();
    let mut constants = Vec::new();
    for item in items {
        let Item::Static(item) = item else { continue };
        let is_constant = |attribute: &Attribute| attribute.path().segments.last().is_some_and(|segment| segment.ident == "constant");
        if !item.attrs.iter().any(is_constant) {
            continue;
        }
        for attribute in item.attrs.iter_mut().filter(|attribute| is_constant(attribute)) {
            if !matches!(attribute.meta, Meta::Path(_)) {
                errors.add(attribute, "`#[constant]` takes no arguments");
            }
            // It stays, so that its import is used.
            let path = attribute.path().clone();
            attribute.meta = parse_quote!(#path(#IN_MODULE));
        }
        // The compiler knows by this alias that the host can set it.
        item.attrs.push(parse_quote!(#[doc(alias = "oxide_constant")]));
        constants.extend(errors.keep(constant(item)));
    }
    errors.finish(constants)
}

fn constant(item: &ItemStatic) -> Result<Constant, Error> {
    let expected = "a constant is of type `ConstantMemory<T>`";
    if let syn::StaticMutability::Mut(mutable) = item.mutability {
        return Err(Error::new_spanned(mutable, "kernels only read a constant: leave out `mut`"));
    }
    let Type::Path(path) = &*item.ty else { return Err(Error::new_spanned(&item.ty, expected)) };
    let segment = path.path.segments.last().filter(|segment| segment.ident == "ConstantMemory");
    let value = segment.and_then(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(value) => Some(value.clone()),
            _ => None,
        }),
        _ => None,
    });
    let Some(value) = value else { return Err(Error::new_spanned(&item.ty, expected)) };
    let cfgs = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
    Ok(Constant { name: item.ident.clone(), value, cfgs })
}

impl Constant {
    /// The names of the methods that set it.
    pub fn setters(&self) -> [Ident; 2] {
        let set = Ident::new(&format!("set_{}", self.name.unraw().to_string().to_lowercase()), self.name.span());
        let blocking = format_ident!("{set}_blocking");
        [set, blocking]
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the constant `{}`", self.name)
    }
}

/// The methods of `LoadedModule` that set a constant.
pub fn setters(constants: &[Constant]) -> TokenStream {
    constants.iter().map(setter).collect()
}

fn setter(constant: &Constant) -> TokenStream {
    let Constant { name, value, cfgs } = constant;
    let [set, set_blocking] = constant.setters();
    let stream = Ident::new("stream", Span::mixed_site());
    let about = format!("Sets `{name}`, after what `stream` holds so far and before what is queued later.");
    let about_blocking = format!("Sets `{name}`, and returns when it is set.");
    // The place where the constant is declared, by which the compiler names it too.
    let place = quote!(::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)));
    quote! {
        #(#cfgs)*
        #[doc = #about]
        ///
        /// # Errors
        ///
        /// `CUDA_ERROR_NOT_FOUND` where no kernel reads it, `CUDA_ERROR_INVALID_CONTEXT` for a stream of another context, and what else the
        /// driver reports.
        pub fn #set(&self, #stream: &::cuda_core::CudaStream, value: &#value) -> ::core::result::Result<(), ::cuda_core::DriverError> {
            ::cuda_host::constant::set::<#value>(self.0.module(), ::core::option::Option::Some(#stream), #place, value)
        }

        #(#cfgs)*
        #[doc = #about_blocking]
        ///
        /// # Errors
        ///
        /// `CUDA_ERROR_NOT_FOUND` where no kernel reads it, and what else the driver reports.
        pub fn #set_blocking(&self, value: &#value) -> ::core::result::Result<(), ::cuda_core::DriverError> {
            ::cuda_host::constant::set::<#value>(self.0.module(), ::core::option::Option::None, #place, value)
        }
    }
}
