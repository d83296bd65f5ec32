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

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Attribute, Expr, GenericParam, Generics, Ident, ItemFn, Lifetime, Safety, Type, Visibility, WherePredicate, parse_quote,
    spanned::Spanned,
};

use crate::{
    kernel,
    launch::Launch,
    relation,
    signature::{self, Argument, Parameter},
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

    /// `name: type` of each argument.
    fn arguments(&self, form: Form, is_safe: bool) -> TokenStream {
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

    /// The arguments as what the driver is given: a statement for each, and their list.
    fn conversions(&self, is_safe: bool) -> (TokenStream, TokenStream) {
        let values: Vec<_> = (0..self.parameters.len()).map(|number| own(&format!("argument_{number}"))).collect();
        let conversions = self.parameters.iter().zip(&values).map(|(Parameter { name, argument }, value)| {
            let (conversion, argument) = (conversion(argument), given(name, argument, is_safe));
            quote!(let mut #value = #conversion(#argument);)
        });
        (quote!(#(#conversions)*), quote!(&mut [#(&mut #values),*]))
    }

    /// Whether a kernel in a context reaches all buffers.
    fn reach(&self, context: &TokenStream, form: Form) -> TokenStream {
        let buffers = self.parameters.iter().filter_map(|Parameter { name, argument }| match (argument, form) {
            (Argument::Uniform { .. } | Argument::Value(_), _) => None,
            (Argument::Disjoint { space, .. }, _) if signature::has_width(space.as_ref()) => Some(quote!(&#name)),
            (_, Form::Owned) => Some(quote!(&#name)),
            _ => Some(quote!(&*#name)),
        });
        quote!(::cuda_host::launch::reach(#context, &[#(#buffers),*]))
    }

    /// The contract's size relations, each a statement that returns its error.
    fn requirements(&self, form: Form) -> TokenStream {
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

    fn plain(&self, name: &Ident) -> TokenStream {
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

    fn prepare(&self) -> TokenStream {
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

    /// Whether the launchers that keep to the contract are safe.
    fn is_safe(&self) -> bool {
        !matches!(self.function.sig.safety, Safety::Unsafe(_))
    }

    /// `unsafe` and what is to be said about it, where the kernel itself is.
    fn unsafety(&self) -> (TokenStream, TokenStream) {
        if self.is_safe() {
            (TokenStream::new(), TokenStream::new())
        } else {
            (quote!(unsafe), quote!(#[doc = "\n\n# Safety\n\nWhat the kernel requires."]))
        }
    }

    /// That what is passed by value lives as long as it is used, said of the kernel's generics.
    fn values_live(&self, form: Form, is_safe: bool) -> Vec<WherePredicate> {
        let Some(lifetime) = value_lifetime(form, is_safe) else { return Vec::new() };
        let held = self.generics().params.iter().filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(parameter.ident.to_token_stream()),
            GenericParam::Lifetime(parameter) => Some(parameter.lifetime.to_token_stream()).filter(|lifetime| self.passes(lifetime)),
            GenericParam::Const(_) => None,
        });
        let lives = |held: TokenStream| {
            let mut lifetime = lifetime.clone();
            lifetime.set_span(lifetime.span().located_at(held.span()));
            parse_quote!(#held: #lifetime)
        };
        held.map(lives).collect()
    }

    fn prepared(&self) -> TokenStream {
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

    /// Whether a lifetime is in a value that is passed.
    fn passes(&self, lifetime: &TokenStream) -> bool {
        let lifetime = lifetime.to_string();
        let values = self.parameters.iter().filter_map(|parameter| parameter.argument.value());
        values.into_iter().any(|kind| kind.to_token_stream().to_string().contains(&lifetime))
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

    /// A builder that has been given the arguments.
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

    fn asynchronous(&self, name: &Ident, form: Form) -> TokenStream {
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

    fn prepared_asynchronous(&self, name: &Ident, form: Form) -> TokenStream {
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
        let reached = own("reached");
        let made = quote!(#constructor::__new(#operation, #prepared, #reached));
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
                let #reached = #reach;
                #statements
                #made
            }
        }
    }
}

/// A name of the macro's own, which no parameter of the kernel can be.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// How long an operation may hold its arguments.
fn operation_lifetime(form: Form) -> Lifetime {
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
fn given(name: &Ident, argument: &Argument, is_safe: bool) -> TokenStream {
    match argument.value() {
        Some(kind) if is_safe => quote_spanned!(kind.span()=> ::cuda_host::launch::kept(#name)),
        _ => name.to_token_stream(),
    }
}

/// Names for the types of buffers that an operation owns, by the parameter's number.
fn owned_types() -> impl Iterator<Item = Ident> {
    (0..).map(|number| format_ident!("__Buffer{number}"))
}

/// The element of a buffer, and the trait by which a kernel reaches it.
fn buffer(argument: &Argument) -> Option<(&Type, Ident)> {
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

fn owned_type(argument: &Argument, owned: &Ident) -> TokenStream {
    match argument {
        Argument::Disjoint { space, .. } if signature::has_width(space.as_ref()) => quote!(::cuda_host::RowWidthOwned<#owned>),
        _ if buffer(argument).is_some() => quote!(#owned),
        _ => argument_type(argument),
    }
}

fn conversion(argument: &Argument) -> TokenStream {
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
