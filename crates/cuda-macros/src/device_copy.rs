//! `#[derive(DeviceCopy)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Field, parse_quote, spanned::Spanned};

/// The implementation, and a function that type-checks only if every field is `DeviceCopy`.
pub fn expand(mut input: DeriveInput) -> Result<TokenStream, Error> {
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Union(data) => data.fields.named.iter().collect(),
        Data::Enum(data) => {
            let message = "`DeviceCopy` cannot be derived for an enum, since not all bytes are one of its values; \
                           write `unsafe impl DeviceCopy` by hand if zero is and the device stores no others";
            return Err(Error::new(data.enum_token.span(), message));
        }
    };
    let checks = fields.iter().map(|field| {
        let kind = &field.ty;
        quote_spanned!(kind.span()=> device_copy::<#kind>();)
    });
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::cuda_core::DeviceCopy));
    }
    let name = &input.ident;
    let (parameters, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        // SAFETY: `fields` below holds every field to the trait.
        unsafe impl #parameters ::cuda_core::DeviceCopy for #name #arguments #conditions {}

        const _: () = {
            fn device_copy<Field: ::cuda_core::DeviceCopy>() {}
            #[allow(dead_code)]
            fn fields #parameters () #conditions {
                #(#checks)*
            }
        };
    })
}
