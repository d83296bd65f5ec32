//! `#[kernel]` and `#[device]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Error, FnArg, GenericParam, Generics, Ident, ItemFn, Meta, Path, Token, Type,
    parse::{Parse, ParseStream},
    parse_quote,
    visit_mut::{self, VisitMut},
};

use crate::{
    body::{self, Head},
    instances::{self, Instance},
    launch::{self, Launch},
    signature::{self, Errors},
};

/// The arguments of `#[kernel]`.
#[derive(Default)]
pub struct Options {
    /// The name of the launch context in the body.
    launch_context: Option<Ident>,
    /// Whether elements are taken without a check of the index.
    unchecked_indexing: bool,
    /// The types that have an entry of their own.
    pub types: Vec<Type>,
}

impl Options {
    /// Those of the kernel's attribute.
    pub fn of(function: &ItemFn) -> Result<Self, Error> {
        match function.attrs.iter().find(|attribute| signature::is_kernel(attribute)).map(|attribute| &attribute.meta) {
            Some(Meta::List(list)) => syn::parse2(list.tokens.clone()),
            _ => Ok(Self::default()),
        }
    }
}

impl Parse for Options {
    fn parse(input: ParseStream) -> Result<Self, Error> {
        let mut options = Self::default();
        while !input.is_empty() {
            if input.peek2(Token![=]) {
                options.read_named(input)?;
            } else {
                options.read_plain(input.parse()?)?;
            }
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        Ok(options)
    }
}

impl Options {
    fn read_named(&mut self, input: ParseStream) -> Result<(), Error> {
        let key: Ident = input.parse()?;
        if key != "launch_context" {
            return Err(Error::new(key.span(), "`#[kernel]` takes `launch_context = name`, `unchecked_indexing` or types"));
        }
        if self.launch_context.is_some() {
            return Err(Error::new(key.span(), "a second `launch_context`"));
        }
        input.parse::<Token![=]>()?;
        self.launch_context = Some(input.parse()?);
        Ok(())
    }

    fn read_plain(&mut self, kind: Type) -> Result<(), Error> {
        if !matches!(&kind, Type::Path(path) if path.path.is_ident("unchecked_indexing")) {
            self.types.push(kind);
        } else if self.unchecked_indexing {
            return Err(Error::new_spanned(kind, "a second `unchecked_indexing`"));
        } else {
            self.unchecked_indexing = true;
        }
        Ok(())
    }
}

/// The kernel as it was but for its index calls, the entries for the types named, its marker type and, if it is generic, the function that
/// names an instance.
pub fn expand(arguments: &TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let options = errors.keep(syn::parse2::<Options>(arguments.clone())).unwrap_or_default();
    let parameters = errors.keep(signature::parameters(&function)).unwrap_or_default();
    let launch = errors.keep(Launch::of(&function)).unwrap_or_default();
    function.attrs.retain(|attribute| {
        let again = signature::is_kernel(attribute);
        if again {
            errors.add(attribute, "a second `#[kernel]`");
        }
        !again
    });
    launch::mark(&mut function);
    if let Some(name) = &options.launch_context
        && parameters.iter().any(|parameter| parameter.name == *name)
    {
        errors.add(name, &format!("the kernel has a parameter `{name}` already"));
    }
    errors.keep(body::check_statics(&mut function));
    let is_split = options.unchecked_indexing && signature::is_generic(&function.sig.generics);
    let callee = if is_split { unchecked_function(&function.sig.ident) } else { function.sig.ident.clone() };
    let entries = errors.keep(instances::entries(&function, &callee, &options.types, &launch)).unwrap_or_default();
    let head = Head {
        context: launch.contract.as_ref().map(|contract| contract.context()),
        is_given: false,
        name: options.launch_context,
        markers: launch.markers(),
        unchecked_indexing: options.unchecked_indexing,
    };
    let split = is_split.then(|| split(&function, &launch, &head, &mut errors));
    errors.keep(body::expand(&mut function.block, &head));
    if let Err(error) = errors.finish(()) {
        return with_error(&error, &function);
    }
    let entries = split.is_none().then_some(Instance { function, launch }).into_iter().chain(entries);
    let kernels = entries.map(|Instance { function, launch }| {
        let marker = marker(&function, &launch, None);
        quote! {
            // The compiler finds kernels by this alias. Nothing on the host calls one.
            #[doc(alias = "oxide_kernel")]
            #[allow(dead_code)]
            #function

            #marker
        }
    });
    quote! {
        #split
        #(#kernels)*

        const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!("OXIDE_FINGERPRINT");
    }
}

/// The name of the function that has a generic kernel's body without checks of indices.
fn unchecked_function(kernel: &Ident) -> Ident {
    format_ident!("__{kernel}_unchecked_indexing")
}

/// A generic kernel without checks of indices: its entries have none, but the function that its name calls has, and takes the caller's scope.
fn split(function: &ItemFn, launch: &Launch, head: &Head, errors: &mut Errors) -> TokenStream {
    let kernel = &function.sig.ident;
    let mut checked = function.clone();
    let called = Head { context: None, is_given: true, name: head.name.clone(), markers: TokenStream::new(), unchecked_indexing: false };
    errors.keep(body::expand(&mut checked.block, &called));
    let (scope, context) = (body::scope(), head.context.clone().unwrap_or_else(|| quote!(::cuda_device::thread::UnknownDomain)));
    checked.sig.inputs.push(parse_quote!(#scope: ::cuda_device::thread::LaunchContextRef<'_, #context>));

    let mut unchecked = function.clone();
    unchecked.sig.ident = unchecked_function(kernel);
    unchecked.attrs.retain(|attribute| !attribute.path().is_ident("doc") && !attribute.path().is_ident("inline"));
    // What is said of launches stands in the entry.
    let body = Head { context: head.context.clone(), name: head.name.clone(), markers: TokenStream::new(), ..*head };
    errors.keep(body::expand(&mut unchecked.block, &body));

    let mut signature = function.sig.clone();
    let call = instances::pass_on(&mut signature, &unchecked.sig.ident, &signature::turbofish(&function.sig.generics));
    let markers = &head.markers;
    let entry = quote! {
        #[doc(alias = "oxide_kernel")]
        #[allow(dead_code, clippy::too_many_arguments)]
        #signature {
            #markers
            #call
        }
    };
    let marker = marker(function, launch, Some(&entry));
    quote! {
        #[allow(dead_code, unused_variables, clippy::too_many_arguments)]
        #checked

        #[doc(hidden)]
        #[inline(always)]
        #[allow(dead_code, clippy::too_many_arguments)]
        #unchecked

        #marker
    }
}

/// The function as it was but for its index calls.
pub fn expand_device(arguments: &TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.add(arguments, "`#[device]` takes no arguments");
    }
    if let syn::ReturnType::Type(_, output) = &function.sig.output
        && let Some(index) = thread_index(output)
    {
        errors.add(
            &index,
            "a `ThreadIndex` cannot leave the function that computes it: return the number, `get()`, or take the index as an argument",
        );
    }
    errors.keep(body::check_statics(&mut function));
    errors.keep(body::expand(&mut function.block, &Head::default()));
    match errors.finish(()) {
        // In a crate without kernels, the compiler exports what has this alias.
        Ok(()) => quote!(#[doc(alias = "oxide_device")] #[allow(dead_code)] #function),
        Err(error) => with_error(&error, &function),
    }
}

/// The path in a type that ends in `ThreadIndex`.
fn thread_index(output: &Type) -> Option<Path> {
    struct Found(Option<Path>);

    impl VisitMut for Found {
        fn visit_path_mut(&mut self, path: &mut Path) {
            if path.segments.last().is_some_and(|segment| segment.ident == "ThreadIndex") {
                self.0.get_or_insert_with(|| path.clone());
            }
            visit_mut::visit_path_mut(self, path);
        }
    }

    let mut found = Found(None);
    found.visit_type_mut(&mut output.clone());
    found.0
}

/// The function is kept, so that what calls it is not an error too.
fn with_error(error: &Error, function: &ItemFn) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #[allow(nonstandard_style, unused)] #function)
}

/// The name of the function that names an instance of a generic kernel.
pub fn ptx_name_function(kernel: &Ident) -> Ident {
    format_ident!("{kernel}_ptx_name")
}

/// The name of the function that infers an instance from a closure.
pub fn instance_function(kernel: &Ident) -> Ident {
    format_ident!("__{kernel}_instance")
}

/// For `cuda_launch!`: names the instance for the types of the values that are given, and gives them back. There is a value for each
/// parameter whose type is a type parameter, and nothing for each other.
fn instance(function: &ItemFn) -> TokenStream {
    let kernel = &function.sig.ident;
    let (visibility, generics, name) = (&function.vis, &function.sig.generics, instance_function(kernel));
    let is_type_parameter = |kind: &Type| match kind {
        Type::Path(path) => generics.type_params().any(|parameter| path.path.is_ident(&parameter.ident)),
        _ => false,
    };
    let kinds: Vec<TokenStream> = function
        .sig
        .inputs
        .iter()
        .map(|input| match input {
            FnArg::Typed(input) if is_type_parameter(&input.ty) => {
                let kind = &input.ty;
                quote!(::core::option::Option<#kind>)
            }
            _ => quote!(()),
        })
        .collect();
    let values: Vec<_> = (0..kinds.len()).map(|number| format_ident!("value_{number}")).collect();
    let (parameters, _, conditions) = generics.split_for_impl();
    let (ptx_name, turbofish) = (ptx_name_function(kernel), signature::turbofish(generics));
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, clippy::type_complexity, clippy::too_many_arguments, clippy::unused_unit)]
        #visibility fn #name #parameters (#(#values: #kinds),*) -> (&'static str, (#(#kinds,)*)) #conditions {
            (#ptx_name #turbofish (), (#(#values,)*))
        }
    }
}

/// The marker type of a kernel.
pub fn marker_type(kernel: &Ident) -> Ident {
    format_ident!("__{kernel}_CudaKernel", span = Span::call_site())
}

/// Whether the crate that is compiled can name one of the host's crates. The feature is on for all crates of a build where one asks for it,
/// so the package's manifest is read, which names its dependencies.
fn reaches(krate: &str) -> bool {
    let manifest = || std::fs::read_to_string(std::path::Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml")).ok();
    cfg!(feature = "host") && manifest().is_none_or(|text| text.contains(krate))
}

/// The marker type of a kernel with what stands beside it; `entry` is the kernel where the function of its name is another one.
fn marker(function: &ItemFn, launch: &Launch, entry: Option<&TokenStream>) -> TokenStream {
    let kernel = &function.sig.ident;
    let visibility = &function.vis;
    let name = kernel.to_string();
    let marker = marker_type(kernel);
    let cfgs: Vec<_> = function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let generics = &function.sig.generics;
    let contract = contract(function, launch, &cfgs);
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

            #contract
        };
    }
    if !reaches("cuda-host") {
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
    let instance = instance(function);
    let about = format!("The name of the instance of `{kernel}` for these types in the PTX.");
    quote! {
        #(#cfgs)*
        #[doc = #about]
        #[allow(dead_code)]
        #visibility fn #ptx_name #parameters () -> &'static str #conditions {
            <#marker #turbofish as ::cuda_device::kernel::GenericCudaKernel>::ptx_name()
        }

        #(#cfgs)*
        #instance

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #marker #parameters (::core::marker::PhantomData<(#(#held,)*)>) #conditions;

        #(#cfgs)*
        const _: () = {
            #entry

            impl #parameters ::cuda_device::kernel::GenericCudaKernel for #marker #arguments #conditions {
                fn ptx_name() -> &'static str {
                    ::cuda_host::kernel::instance_name(#name, &#kernel #turbofish)
                }
            }
        };

        #contract
    }
}

/// The marker type's launch contract, where `cuda_core` is there to read it.
fn contract(function: &ItemFn, launch: &Launch, cfgs: &[&Attribute]) -> Option<TokenStream> {
    let contract = launch.contract.as_ref().filter(|_| reaches("cuda-core"))?;
    let kernel = &function.sig.ident;
    let marker = marker_type(kernel);
    let (config, spec) = (contract.config(), contract.spec(&kernel.to_string(), launch));
    // A marker without instances has no parameters.
    let without = Generics::default();
    let generics = if signature::is_generic(&function.sig.generics) { &function.sig.generics } else { &without };
    let (parameters, arguments, conditions) = generics.split_for_impl();
    Some(quote! {
        #(#cfgs)*
        impl #parameters ::cuda_core::KernelLaunchContract for #marker #arguments #conditions {
            type Config = #config;
            const SPEC: ::cuda_core::LaunchContractSpec = #spec;
        }
    })
}
