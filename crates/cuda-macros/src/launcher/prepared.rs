//! Launchers that keep to a contract, and what prepares them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, Ident, Safety};

use super::{Form, Launchers, own};
use crate::{
    relation,
    signature::{self, Argument, Parameter},
};

impl Launchers<'_> {
    pub(super) fn prepare(&self) -> TokenStream {
        let Some(contract) = &self.launch.contract else { return TokenStream::new() };
        let (visibility, entry, marker, kind) = (self.visibility(), self.entry(), self.marker(), contract.config());
        let cfgs: Vec<_> = self.attributes().filter(|attribute| attribute.path().is_ident("cfg")).collect();
        let (generic_parameters, _, conditions) = self.generics().split_for_impl();
        let config = own("config");
        let prepare = format_ident!("prepare_{}", self.kernel());
        let about =
            format!("Checks a shape of launch of `{}` against its contract and the device, for any number of launches.", self.kernel());
        let turbofish = signature::turbofish(self.generics());
        let types: Vec<&Ident> = self.generics().type_params().map(|parameter| &parameter.ident).collect();
        let by_witness = (!types.is_empty()).then(|| {
            let prepare_for = format_ident!("{prepare}_for");
            let witnesses = (0..types.len()).map(|number| own(&format!("witness_{number}")));
            let about = format!("[`Self::{prepare}`] for the types of these values, which for a closure has no name.");
            quote! {
                #(#cfgs)*
                #[doc = #about]
                ///
                /// # Errors
                ///
                /// The first check that fails, and what the driver reports.
                #visibility fn #prepare_for #generic_parameters (
                    &self,
                    #(#witnesses: &#types,)*
                    #config: #kind,
                ) -> ::core::result::Result<::cuda_core::PreparedLaunch<#marker>, ::cuda_core::LaunchContractError> #conditions {
                    self.#prepare #turbofish (#config)
                }
            }
        });
        quote! {
            #(#cfgs)*
            #[doc = #about]
            ///
            /// # Errors
            ///
            /// The first check that fails, and what the driver reports.
            #visibility fn #prepare #generic_parameters (
                &self,
                #config: #kind,
            ) -> ::core::result::Result<::cuda_core::PreparedLaunch<#marker>, ::cuda_core::LaunchContractError> #conditions {
                // SAFETY: the entry is that of the kernel of this contract.
                unsafe { self.0.prepare(#entry, #config) }
            }

            #by_witness
        }
    }

    pub(super) fn prepared(&self) -> TokenStream {
        let (visibility, attributes, kernel, marker) = (self.visibility(), self.attributes(), self.kernel(), self.marker());
        let mut generics = self.generics().clone();
        generics.make_where_clause().predicates.extend(self.values_live(Form::Immediate, self.is_safe()));
        let (generic_parameters, _, conditions) = generics.split_for_impl();
        let [stream, prepared] = ["stream", "prepared"].map(own);
        let arguments = self.arguments(Form::Immediate, self.is_safe());
        let (conversions, values) = self.conversions(self.is_safe());
        let shape = self.shape(&quote!(#prepared.__raw_config()));
        let requirements = self.requirements(Form::Immediate);
        let reach = self.reach(&quote!(#stream.context()), Form::Immediate);
        let (unsafety, safety) = self.unsafety();
        let about = format!("Queues `{kernel}` in `stream` and returns before it has run.");
        quote! {
            #(#attributes)*
            ///
            #[doc = #about]
            ///
            /// # Errors
            ///
            /// `ContextMismatch` for a stream of another device, a size requirement that the arguments do not keep, the driver's
            /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` for a buffer of another device, which this one does not reach, and what it reports about
            /// the launch; a fault of the kernel surfaces at the next synchronisation.
            #safety
            #visibility #unsafety fn #kernel #generic_parameters (
                &self,
                #stream: &::cuda_core::CudaStream,
                #prepared: &::cuda_core::PreparedLaunch<#marker>,
                #arguments
            ) -> ::core::result::Result<(), ::cuda_core::LaunchContractError> #conditions {
                #prepared.validate_stream(#stream)?;
                #requirements
                #reach?;
                #conversions
                // SAFETY: the arguments are those of the kernel's parameters, in order, and the launch keeps to its contract.
                unsafe { ::cuda_host::launch::Kernel::of(#prepared).launch(#stream, #shape, #values) }?;
                ::core::result::Result::Ok(())
            }
        }
    }

    /// The contract's size relations, each a statement that returns its error.
    pub(super) fn requirements(&self, form: Form) -> TokenStream {
        let relations = self.launch.contract.iter().flat_map(|contract| &contract.relations);
        let kernel = self.kernel().to_string();
        let length = |parameter: &Parameter| {
            let name = &parameter.name;
            let buffer = match (&parameter.argument, form) {
                (Argument::Disjoint { space, .. }, _) if signature::has_width(space.as_ref()) => quote!(&#name),
                (_, Form::Owned) => quote!(&#name),
                _ => quote!(&*#name),
            };
            quote!(::cuda_host::HasLength::len(#buffer) as ::core::primitive::u64)
        };
        let requirements = relations.map(|relation: &Expr| relation::requirement(&kernel, relation, self.parameters, &length));
        quote!(#(#requirements)*)
    }

    /// Whether the launchers that keep to the contract are safe.
    pub(super) fn is_safe(&self) -> bool {
        !matches!(self.function.sig.safety, Safety::Unsafe(_))
    }

    /// `unsafe` and what is to be said about it, where the kernel itself is.
    pub(super) fn unsafety(&self) -> (TokenStream, TokenStream) {
        if self.is_safe() {
            (TokenStream::new(), TokenStream::new())
        } else {
            (quote!(unsafe), quote!(#[doc = "\n\n# Safety\n\nWhat the kernel requires."]))
        }
    }
}
