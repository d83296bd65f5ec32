//! The methods of `LoadedModule` that launch a kernel.
//!
//! ```text
//! fn scale(factor: f32, out: DisjointSlice<f32>)
//!
//! unsafe fn scale(&self, stream, config, factor: f32, out: &mut DeviceBuffer<f32>)     without a contract
//!
//! fn prepare_scale(&self, config) -> PreparedLaunch<…>                                  with one
//! fn scale(&self, stream, prepared, factor: f32, out: &mut DeviceBuffer<f32>)
//! unsafe fn scale_unchecked(&self, stream, config, factor: f32, out: &mut DeviceBuffer<f32>)
//! ```
//!
//! What a safe launcher takes by value borrows nothing: it returns before the kernel has run, and its caller may free then what was borrowed.
//!
//! With feature `async` there are the same without a stream, as operations that borrow their buffers (`scale_async`) or own them
//! (`scale_async_owned`).

mod arguments;
mod asynchronous;
mod prepared;
mod raw;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Generics, Ident, ItemFn, Visibility};

use crate::{
    kernel,
    launch::Launch,
    signature::{self, Parameter},
};

/// All launchers of a kernel.
pub fn launchers(function: &ItemFn, launch: &Launch, parameters: &[Parameter]) -> TokenStream {
    let kernel = &function.sig.ident;
    let launchers = Launchers { function, launch, parameters };
    let unchecked = match &launch.contract {
        Some(_) => format_ident!("{kernel}_unchecked"),
        None => kernel.clone(),
    };
    let mut methods = launchers.plain(&unchecked);
    if launch.contract.is_some() {
        methods.extend(launchers.prepare());
        methods.extend(launchers.prepared());
    }
    if cfg!(feature = "async") {
        for form in [Form::Borrowed, Form::Owned] {
            let name = form.method(kernel);
            if launch.contract.is_some() {
                methods.extend(launchers.asynchronous(&format_ident!("{name}_unchecked"), form));
                methods.extend(launchers.prepared_asynchronous(&name, form));
            } else {
                methods.extend(launchers.asynchronous(&name, form));
            }
        }
    }
    methods
}

/// The names of those methods.
pub fn names(kernel: &Ident, launch: &Launch, generic: bool) -> Vec<String> {
    let mut names = vec![kernel.to_string()];
    if cfg!(feature = "async") {
        names.extend([Form::Borrowed, Form::Owned].map(|form| form.method(kernel).to_string()));
    }
    if launch.contract.is_some() {
        let unchecked: Vec<_> = names.iter().map(|name| format!("{name}_unchecked")).collect();
        names.extend(unchecked);
        names.push(format!("prepare_{kernel}"));
        if generic {
            names.push(format!("prepare_{kernel}_for"));
        }
    }
    names
}

/// What a launcher does with its buffers.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Launches at once: `&DeviceBuffer<T>`.
    Immediate,
    /// Borrows them until the operation has run.
    Borrowed,
    /// Owns them and hands them back.
    Owned,
}

impl Form {
    fn method(self, kernel: &Ident) -> Ident {
        match self {
            Self::Immediate => kernel.clone(),
            Self::Borrowed => format_ident!("{kernel}_async"),
            Self::Owned => format_ident!("{kernel}_async_owned"),
        }
    }
}

struct Launchers<'a> {
    function: &'a ItemFn,
    launch: &'a Launch,
    parameters: &'a [Parameter],
}

impl Launchers<'_> {
    fn kernel(&self) -> &Ident {
        &self.function.sig.ident
    }

    fn visibility(&self) -> &Visibility {
        &self.function.vis
    }

    fn generics(&self) -> &Generics {
        &self.function.sig.generics
    }

    /// The attributes of the kernel that are those of its launchers.
    fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        let kept = |attribute: &&Attribute| ["doc", "cfg", "deprecated"].iter().any(|kept| attribute.path().is_ident(kept));
        self.function.attrs.iter().filter(kept)
    }

    /// The name of the kernel's entry.
    fn entry(&self) -> TokenStream {
        let kernel = self.kernel();
        if signature::is_generic(self.generics()) {
            let (ptx_name, turbofish) = (kernel::ptx_name_function(kernel), signature::turbofish(self.generics()));
            quote!(#ptx_name #turbofish ())
        } else {
            let name = kernel.to_string();
            quote!(#name)
        }
    }

    /// The kernel's marker type, with the parameters of its instance.
    fn marker(&self) -> TokenStream {
        let marker = kernel::marker_type(self.kernel());
        let arguments = signature::is_generic(self.generics()).then(|| self.generics().split_for_impl().1);
        quote!(#marker #arguments)
    }

    /// The launch's shape around its grid, block and memory.
    fn shape(&self, config: &TokenStream) -> TokenStream {
        let cluster = match &self.launch.cluster {
            Some([x, y, z]) => quote!(::core::option::Option::Some((const { #x }, const { #y }, const { #z }))),
            None => quote!(::core::option::Option::None),
        };
        let cooperative = self.launch.cooperative;
        quote!(::cuda_host::launch::Shape { config: #config, cluster: #cluster, cooperative: #cooperative })
    }
}

/// A name of the macro's own, which no parameter of the kernel can be.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
