//! What a launcher takes for each parameter of the kernel, and what the driver gets for it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{GenericParam, Ident, Lifetime, Type, WherePredicate, parse_quote, spanned::Spanned};

use super::{Form, Launchers, own};
use crate::signature::{self, Argument, Parameter};

impl Launchers<'_> {
    /// `name: type` of each argument.
    pub(super) fn arguments(&self, form: Form, is_safe: bool) -> TokenStream {
        let arguments = self.parameters.iter().zip(owned_types()).map(|(Parameter { name, argument }, owned)| {
            let kind = match (form, argument.value(), value_lifetime(form, is_safe)) {
                (_, Some(value), Some(lifetime)) => signature::with_lifetime(value, lifetime).to_token_stream(),
                (Form::Immediate, ..) => argument_type(argument),
                (Form::Borrowed, ..) => borrowed_type(argument),
                (Form::Owned, ..) => owned_type(argument, &owned),
            };
            quote!(#name: #kind)
        });
        quote!(#(#arguments),*)
    }

    /// The arguments as the driver takes them: a statement for each, and their list.
    pub(super) fn conversions(&self, is_safe: bool) -> (TokenStream, TokenStream) {
        let values: Vec<_> = (0..self.parameters.len()).map(|number| own(&format!("argument_{number}"))).collect();
        let conversions = self.parameters.iter().zip(&values).map(|(Parameter { name, argument }, value)| {
            let (conversion, argument) = (conversion(argument), given(name, argument, is_safe));
            quote!(let mut #value = #conversion(#argument);)
        });
        (quote!(#(#conversions)*), quote!(&mut [#(&mut #values),*]))
    }

    /// Whether a kernel in a context reaches all buffers.
    pub(super) fn reach(&self, context: &TokenStream, form: Form) -> TokenStream {
        let buffers = self.parameters.iter().filter_map(|Parameter { name, argument }| match (argument, form) {
            (Argument::Uniform { .. } | Argument::Value(_), _) => None,
            (Argument::Disjoint { space, .. }, _) if signature::has_width(space.as_ref()) => Some(quote!(&#name)),
            (_, Form::Owned) => Some(quote!(&#name)),
            _ => Some(quote!(&*#name)),
        });
        quote!(::cuda_host::launch::reach(#context, &[#(#buffers),*]))
    }

    /// That what is passed by value lives as long as it is used, said of the kernel's generics.
    pub(super) fn values_live(&self, form: Form, is_safe: bool) -> Vec<WherePredicate> {
        let Some(lifetime) = value_lifetime(form, is_safe) else { return Vec::new() };
        let held = self.generics().params.iter().filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(parameter.ident.to_token_stream()),
            GenericParam::Lifetime(parameter) => self.passes(&parameter.lifetime).then(|| parameter.lifetime.to_token_stream()),
            GenericParam::Const(_) => None,
        });
        let lives = |held: TokenStream| {
            let mut lifetime = lifetime.clone();
            lifetime.set_span(lifetime.span().located_at(held.span()));
            parse_quote!(#held: #lifetime)
        };
        held.map(lives).collect()
    }

    /// Whether a lifetime is in a value that is passed.
    fn passes(&self, lifetime: &Lifetime) -> bool {
        let mut values = self.parameters.iter().filter_map(|parameter| parameter.argument.value());
        values.any(|kind| signature::has_lifetime(kind, lifetime))
    }
}

/// How long an operation may hold its arguments.
pub(super) fn operation_lifetime(form: Form) -> Lifetime {
    if form == Form::Owned { unending() } else { Lifetime::new("'__launch", Span::mixed_site()) }
}

/// How long what is passed by value must be there. A safe launcher's is there for ever: an operation may end, or be forgotten, before the
/// kernel has run. Of one that launches at once and is unsafe its caller says so.
fn value_lifetime(form: Form, is_safe: bool) -> Option<Lifetime> {
    match form {
        _ if is_safe => Some(unending()),
        Form::Immediate => None,
        Form::Borrowed | Form::Owned => Some(operation_lifetime(form)),
    }
}

fn unending() -> Lifetime {
    Lifetime::new("'static", Span::mixed_site())
}

/// An argument in a launcher's body. That a value borrows nothing is checked there too: a type may hide its lifetimes.
pub(super) fn given(name: &Ident, argument: &Argument, is_safe: bool) -> TokenStream {
    match argument.value() {
        Some(kind) if is_safe => quote_spanned!(kind.span()=> ::cuda_host::launch::kept(#name)),
        _ => name.to_token_stream(),
    }
}

/// Names for the types of buffers that an operation owns, by the parameter's number.
pub(super) fn owned_types() -> impl Iterator<Item = Ident> {
    (0..).map(|number| format_ident!("__Buffer{number}"))
}

/// The element of a buffer, and the trait by which a kernel reaches it.
pub(super) fn buffer(argument: &Argument) -> Option<(&Type, Ident)> {
    match argument {
        Argument::Slice(element) => Some((element, format_ident!("KernelSliceArg"))),
        Argument::SliceMut(element) => Some((element, format_ident!("KernelSliceArgMut"))),
        Argument::Disjoint { element, .. } => Some((element, format_ident!("KernelSliceArgMut"))),
        Argument::Uniform { .. } | Argument::Value(_) => None,
    }
}

fn argument_type(argument: &Argument) -> TokenStream {
    match argument {
        Argument::Slice(element) => quote!(&::cuda_core::DeviceBuffer<#element>),
        Argument::SliceMut(element) => quote!(&mut ::cuda_core::DeviceBuffer<#element>),
        Argument::Disjoint { element, space, .. } if signature::has_width(space.as_ref()) => quote!(::cuda_host::RowWidth<'_, #element>),
        Argument::Disjoint { element, .. } => quote!(&mut ::cuda_core::DeviceBuffer<#element>),
        Argument::Uniform { element, .. } => quote!(#element),
        Argument::Value(kind) => quote!(#kind),
    }
}

fn borrowed_type(argument: &Argument) -> TokenStream {
    let lifetime = operation_lifetime(Form::Borrowed);
    match argument {
        Argument::Disjoint { element, space, .. } if signature::has_width(space.as_ref()) => {
            quote!(::cuda_host::RowWidth<#lifetime, #element>)
        }
        _ => match buffer(argument) {
            Some((element, access)) => {
                let mutable = (access == "KernelSliceArgMut").then(|| quote!(mut));
                quote!(&#lifetime #mutable impl ::cuda_host::#access<Elem = #element>)
            }
            None => argument_type(argument),
        },
    }
}

pub(super) fn owned_type(argument: &Argument, owned: &Ident) -> TokenStream {
    match argument {
        Argument::Disjoint { space, .. } if signature::has_width(space.as_ref()) => quote!(::cuda_host::RowWidthOwned<#owned>),
        _ if buffer(argument).is_some() => quote!(#owned),
        _ => argument_type(argument),
    }
}

pub(super) fn conversion(argument: &Argument) -> TokenStream {
    match argument {
        Argument::Slice(_) => quote!(::cuda_host::launch::slice),
        Argument::SliceMut(_) => quote!(::cuda_host::launch::slice_mut),
        Argument::Disjoint { slice, space, .. } if signature::has_width(space.as_ref()) => {
            quote!(::cuda_host::launch::disjoint_rows::<_, #slice>)
        }
        Argument::Disjoint { slice, .. } => quote!(::cuda_host::launch::disjoint_slice::<_, #slice>),
        Argument::Uniform { uniform, .. } => quote!(::cuda_host::launch::uniform::<_, #uniform>),
        Argument::Value(_) => quote!(::cuda_host::launch::value),
    }
}
