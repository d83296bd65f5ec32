//! Launchers that give operations.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Generics, Ident, parse_quote};

use super::{
    Form, Launchers,
    arguments::{buffer, conversion, given, operation_lifetime, owned_type, owned_types},
    own,
};
use crate::signature::{self, Argument, Parameter};

impl Launchers<'_> {
    pub(super) fn asynchronous(&self, name: &Ident, form: Form) -> TokenStream {
        let (visibility, attributes, entry) = (self.visibility(), self.attributes(), self.entry());
        let generics = self.asynchronous_generics(form, false);
        let (generic_parameters, _, conditions) = generics.split_for_impl();
        let [config, kernel] = ["config", "kernel"].map(own);
        let arguments = self.arguments(form, false);
        let (builder, statements) = self.builder(&quote!(#kernel), form, false);
        let shape = self.shape(&quote!(#config));
        let launch = quote! {
            // SAFETY: the arguments are those of the kernel's parameters, in order; the caller vouches for the rest.
            unsafe { #builder.finish(#shape) }
        };
        let (kind, operation) = self.operation(form, &launch);
        let reach = self.reach(&quote!(#kernel.context()), form);
        let about = format!("An operation that launches `{}`.", self.kernel());
        quote! {
            #(#attributes)*
            ///
            #[doc = #about]
            ///
            /// # Errors
            ///
            /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` for a buffer of another device, which the kernel's does not reach, and what the driver reports
            /// where the kernel is looked up.
            ///
            /// # Safety
            ///
            /// The kernel is sound for this shape of launch and these arguments, and nothing else uses what they point to until it has run.
            #visibility unsafe fn #name #generic_parameters (
                &self,
                #config: ::cuda_core::LaunchConfig,
                #arguments
            ) -> ::core::result::Result<#kind, ::cuda_core::DriverError> #conditions {
                let #kernel = self.0.get(#entry)?;
                #reach?;
                #statements
                ::core::result::Result::Ok(#operation)
            }
        }
    }

    pub(super) fn prepared_asynchronous(&self, name: &Ident, form: Form) -> TokenStream {
        let (visibility, attributes, marker) = (self.visibility(), self.attributes(), self.marker());
        let generics = self.asynchronous_generics(form, self.is_safe());
        let (generic_parameters, _, conditions) = generics.split_for_impl();
        let prepared = own("prepared");
        let arguments = self.arguments(form, self.is_safe());
        let (builder, statements) = self.builder(&quote!(::cuda_host::launch::Kernel::of(#prepared)), form, self.is_safe());
        let shape = self.shape(&quote!(#prepared.__raw_config()));
        let launch = quote! {
            // SAFETY: the arguments are those of the kernel's parameters, in order, and the launch keeps to its contract.
            unsafe { #builder.finish(#shape) }
        };
        let (_, operation) = self.operation(form, &launch);
        let (kind, constructor) = if form == Form::Owned {
            let (kinds, _) = self.resources();
            (quote!(::cuda_host::PreparedOwnedAsyncKernelLaunch<#kinds, #marker>), quote!(::cuda_host::PreparedOwnedAsyncKernelLaunch))
        } else {
            let lifetime = operation_lifetime(form);
            (quote!(::cuda_host::PreparedAsyncKernelLaunch<#lifetime, #marker>), quote!(::cuda_host::PreparedAsyncKernelLaunch))
        };
        let requirements = self.requirements(form);
        let reach = self.reach(&quote!(#prepared.function().context()), form);
        let made = quote!(#constructor::__new(#operation, #prepared));
        let (output, errors, made) = if requirements.is_empty() {
            (kind, TokenStream::new(), made)
        } else {
            let errors = "\n\n# Errors\n\nA size requirement that the arguments do not keep.";
            let output = quote!(::core::result::Result<#kind, ::cuda_core::LaunchContractError>);
            (output, quote!(#[doc = #errors]), quote!(::core::result::Result::Ok(#made)))
        };
        let (unsafety, safety) = self.unsafety();
        let about = format!("An operation that launches `{}`.", self.kernel());
        quote! {
            #(#attributes)*
            ///
            #[doc = #about]
            #errors
            #safety
            #visibility #unsafety fn #name #generic_parameters (
                &self,
                #prepared: &::cuda_core::PreparedLaunch<#marker>,
                #arguments
            ) -> #output #conditions {
                #requirements
                #statements
                #builder.reach(#reach);
                #made
            }
        }
    }

    /// The kernel's generics, and what an operation needs beside them.
    fn asynchronous_generics(&self, form: Form, is_safe: bool) -> Generics {
        let mut generics = self.generics().clone();
        let lifetime = operation_lifetime(form);
        let mut conditions = self.values_live(form, is_safe);
        if form == Form::Owned {
            for (parameter, owned) in self.parameters.iter().zip(owned_types()) {
                let Some((element, access)) = buffer(&parameter.argument) else { continue };
                conditions.push(parse_quote!(#owned: ::cuda_host::#access<Elem = #element> + ::core::marker::Send + 'static));
                generics.params.push(parse_quote!(#owned));
            }
        } else {
            generics.params.insert(0, parse_quote!(#lifetime));
        }
        generics.make_where_clause().predicates.extend(conditions);
        generics
    }

    /// The buffers that an owned operation hands back: their types and their values.
    fn resources(&self) -> (TokenStream, TokenStream) {
        let mut resources = Vec::new();
        for (Parameter { name, argument }, owned) in self.parameters.iter().zip(owned_types()) {
            if buffer(argument).is_some() {
                resources.push((owned_type(argument, &owned), name));
            }
        }
        match &resources[..] {
            [(kind, name)] => (kind.clone(), name.to_token_stream()),
            _ => {
                let (kinds, names): (Vec<_>, Vec<_>) = resources.into_iter().unzip();
                (quote!((#(#kinds),*)), quote!((#(#names),*)))
            }
        }
    }

    /// A builder with the arguments.
    fn builder(&self, kernel: &TokenStream, form: Form, is_safe: bool) -> (Ident, TokenStream) {
        let builder = own("builder");
        let arguments = self.parameters.iter().map(|parameter| asynchronous_conversion(parameter, form, is_safe));
        let statements = quote! {
            let mut #builder = ::cuda_host::async_launch::Builder::new(#kernel);
            #(#builder.push(#arguments);)*
        };
        (builder, statements)
    }

    /// The type of the operation, and how it is made of a launch.
    fn operation(&self, form: Form, launch: &TokenStream) -> (TokenStream, TokenStream) {
        if form == Form::Owned {
            let (kinds, names) = self.resources();
            let operation = quote!(::cuda_host::cuda_async::launch::OwnedAsyncKernelLaunch);
            (quote!(#operation<#kinds>), quote!(#operation::new(#launch, #names)))
        } else {
            let lifetime = operation_lifetime(form);
            (quote!(::cuda_host::cuda_async::launch::AsyncKernelLaunch<#lifetime>), launch.clone())
        }
    }
}

fn asynchronous_conversion(Parameter { name, argument }: &Parameter, form: Form, is_safe: bool) -> TokenStream {
    let buffer = if form == Form::Owned { quote!(&#name) } else { quote!(&*#name) };
    match argument {
        Argument::Slice(_) | Argument::SliceMut(_) => quote!(::cuda_host::async_launch::slice(#buffer)),
        Argument::Disjoint { slice, space, .. } if signature::has_width(space.as_ref()) => {
            let rows = if form == Form::Owned { quote!(owned_rows) } else { quote!(rows) };
            quote!(::cuda_host::async_launch::#rows::<_, #slice>(&#name))
        }
        Argument::Disjoint { slice, .. } => quote!(::cuda_host::async_launch::disjoint_slice::<_, #slice>(#buffer)),
        Argument::Uniform { .. } | Argument::Value(_) => {
            let (conversion, argument) = (conversion(argument), given(name, argument, is_safe));
            quote!(#conversion(#argument))
        }
    }
}
