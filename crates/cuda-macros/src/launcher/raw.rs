//! Launchers that check nothing but types.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::{Form, Launchers, own};

impl Launchers<'_> {
    pub(super) fn plain(&self, name: &Ident) -> TokenStream {
        let (visibility, attributes, entry) = (self.visibility(), self.attributes(), self.entry());
        let (generic_parameters, _, conditions) = self.generics().split_for_impl();
        let [stream, config, entry_point] = ["stream", "config", "kernel"].map(own);
        let arguments = self.arguments(Form::Immediate, false);
        let (conversions, values) = self.conversions(false);
        let shape = self.shape(&quote!(#config));
        let reach = self.reach(&quote!(#stream.context()), Form::Immediate);
        let about = format!("Queues `{}` in `stream` and returns before it has run.", self.kernel());
        quote! {
            #(#attributes)*
            ///
            #[doc = #about]
            ///
            /// # Errors
            ///
            /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` for a buffer of another device, which the stream's does not reach, and what the driver
            /// reports about the launch; a fault of the kernel surfaces at the next synchronisation.
            ///
            /// # Safety
            ///
            /// The kernel is sound for this shape of launch and these arguments, and nothing else uses what they point to until it has run.
            #visibility unsafe fn #name #generic_parameters (
                &self,
                #stream: &::cuda_core::CudaStream,
                #config: ::cuda_core::LaunchConfig,
                #arguments
            ) -> ::core::result::Result<(), ::cuda_core::DriverError> #conditions {
                let #entry_point = self.0.get(#entry)?;
                #reach?;
                #conversions
                // SAFETY: the arguments are those of the kernel's parameters, in order; the caller vouches for the rest.
                unsafe { #entry_point.launch(#stream, #shape, #values) }
            }
        }
    }
}
