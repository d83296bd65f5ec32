//! `#[kernel]` and `#[device]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Error, GenericParam, Ident, ItemFn};

use crate::{
    body,
    signature::{self, Errors},
};

/// The kernel as it was but for its index calls, its marker type and, if it is generic, the function that names an instance.
pub fn expand(arguments: &TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.add(arguments, "arguments of `#[kernel]` are not yet supported");
    }
    errors.keep(signature::parameters(&function));
    errors.keep(body::expand(&mut function.block));
    if let Err(error) = errors.finish(()) {
        return with_error(&error, &function);
    }
    let marker = marker(&function);
    quote! {
        // The compiler finds kernels by this alias. Nothing on the host calls one.
        #[doc(alias = "oxide_kernel")]
        #[allow(dead_code)]
        #function

        #marker

        const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!("OXIDE_FINGERPRINT");
    }
}

/// The function as it was but for its index calls.
pub fn expand_device(arguments: &TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.add(arguments, "`#[device]` takes no arguments");
    }
    errors.keep(body::expand(&mut function.block));
    match errors.finish(()) {
        Ok(()) => quote!(#[allow(dead_code)] #function),
        Err(error) => with_error(&error, &function),
    }
}

/// The function is kept, so that what calls it is not an error too.
fn with_error(error: &Error, function: &ItemFn) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #[allow(dead_code, unused_variables)] #function)
}

/// The name of the function that names an instance of a generic kernel.
pub fn ptx_name_function(kernel: &Ident) -> Ident {
    format_ident!("{kernel}_ptx_name")
}

fn marker(function: &ItemFn) -> TokenStream {
    let kernel = &function.sig.ident;
    let visibility = &function.vis;
    let name = kernel.to_string();
    let marker = format_ident!("__{kernel}_CudaKernel", span = Span::call_site());
    let cfgs: Vec<_> = function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let generics = &function.sig.generics;
    if !signature::is_generic(generics) {
        return quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(non_camel_case_types, dead_code)]
            #visibility struct #marker;

            #(#cfgs)*
            impl ::cuda_device::kernel::CudaKernel for #marker {
                const PTX_NAME: &'static str = #name;
            }
        };
    }
    if !cfg!(feature = "host") {
        return TokenStream::new();
    }
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let turbofish = signature::turbofish(generics);
    let ptx_name = ptx_name_function(kernel);
    let held = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            Some(quote!(&#lifetime ()))
        }
        GenericParam::Type(parameter) => {
            let kind = &parameter.ident;
            Some(quote!(fn(*const #kind)))
        }
        GenericParam::Const(_) => None,
    });
    let about = format!("The name of the instance of `{kernel}` for these types in the PTX.");
    quote! {
        #(#cfgs)*
        #[doc = #about]
        #[allow(dead_code)]
        #visibility fn #ptx_name #parameters () -> &'static str #conditions {
            ::cuda_host::kernel::instance_name(#name, &#kernel #turbofish)
        }

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #marker #parameters (::core::marker::PhantomData<(#(#held,)*)>) #conditions;

        #(#cfgs)*
        impl #parameters ::cuda_device::kernel::GenericCudaKernel for #marker #arguments #conditions {
            fn ptx_name() -> &'static str {
                #ptx_name #turbofish ()
            }
        }
    }
}
