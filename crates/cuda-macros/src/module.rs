//! `#[cuda_module]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Error, Ident, Item, ItemFn, ItemMod, parse_quote};

use crate::{
    constant::{self, Constant},
    instances,
    kernel::{self, Options},
    launch::Launch,
    signature::{self, Argument, Errors, Parameter},
};

/// Names that a launcher cannot have.
const RESERVED: [&str; 5] = ["load", "load_named", "from_module", "from_parent", "as_cuda_module"];

/// The module as it was, with `LoadedModule` in it and in every module inside that holds kernels.
pub fn expand(arguments: &TokenStream, mut module: ItemMod) -> TokenStream {
    match add_loaded_module(arguments, &mut module) {
        Ok(()) => quote!(#module),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #module)
        }
    }
}

fn add_loaded_module(arguments: &TokenStream, module: &mut ItemMod) -> Result<(), Error> {
    if !arguments.is_empty() {
        return Err(Error::new_spanned(arguments, "`#[cuda_module]` takes no arguments"));
    }
    let Some((_, items)) = &mut module.content else {
        return Err(Error::new_spanned(module, "`#[cuda_module]` needs the module's body: write `mod name { … }`"));
    };
    let tree = Tree::of(items, &[]);
    let constants = constant::take(items);
    check_names(&tree, items)?;
    if tree.kernels.is_empty() {
        return Err(Error::new_spanned(&module.ident, "a `#[cuda_module]` without a kernel"));
    }
    let constants = constants?;
    add_to_root(items, &tree, &constants);
    Ok(())
}

/// The kernels of a module and of all inline modules in it.
struct Tree {
    kernels: Vec<Entry>,
}

/// One kernel, with the conditions under which it is there.
struct Entry {
    name: Ident,
    generic: bool,
    cfgs: Vec<Attribute>,
}

impl Tree {
    fn of(items: &[Item], outer_cfgs: &[Attribute]) -> Self {
        let mut kernels = Vec::new();
        for item in items {
            match item {
                Item::Fn(function) if function.attrs.iter().any(signature::is_kernel) => {
                    kernels.extend(with_instances(function).iter().map(|function| Entry {
                        name: function.sig.ident.clone(),
                        generic: signature::is_generic(&function.sig.generics),
                        cfgs: cfgs(outer_cfgs, &function.attrs),
                    }));
                }
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        kernels.extend(Self::of(items, &cfgs(outer_cfgs, &inner.attrs)).kernels);
                    }
                }
                _ => {}
            }
        }
        Self { kernels }
    }
}

/// A kernel and the entries that its attribute names. What is wrong with them, `#[kernel]` reports.
fn with_instances(function: &ItemFn) -> Vec<ItemFn> {
    let types = Options::of(function).unwrap_or_default().types;
    let entries = instances::entries(function, &types, &TokenStream::new()).unwrap_or_default();
    std::iter::once(function.clone()).chain(entries).collect()
}

fn cfgs(outer: &[Attribute], attributes: &[Attribute]) -> Vec<Attribute> {
    outer.iter().chain(attributes).filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

fn check_names(tree: &Tree, items: &[Item]) -> Result<(), Error> {
    let mut errors = Errors::default();
    for (position, Entry { name, .. }) in tree.kernels.iter().enumerate() {
        if RESERVED.iter().any(|reserved| name == reserved) {
            errors.add(name, &format!("`{name}` is a method of `LoadedModule`: a kernel needs another name"));
        }
        if tree.kernels[..position].iter().any(|earlier| earlier.name == *name) {
            errors.add(name, &format!("a second kernel `{name}` in this `#[cuda_module]`"));
        }
    }
    for item in items {
        let name = match item {
            Item::Struct(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Type(item) => &item.ident,
            _ => continue,
        };
        if name == "LoadedModule" {
            errors.add(name, "`LoadedModule` is what `#[cuda_module]` adds: choose another name");
        }
    }
    errors.finish(())
}

fn add_to_root(items: &mut Vec<Item>, tree: &Tree, constants: &[Constant]) {
    let names = tree.kernels.iter().filter(|kernel| !kernel.generic).map(|Entry { name, cfgs, .. }| {
        let name = name.to_string();
        quote!(#(#cfgs)* #name)
    });
    let generic = tree.kernels.iter().filter(|kernel| kernel.generic).map(|Entry { cfgs, .. }| quote!(#(#cfgs)* ()));
    let setters = constant::setters(constants);
    let launchers = add_launchers(items);
    items.push(loaded_module("The kernels of this module, loaded on a device. Clones share the loaded module."));
    items.push(parse_quote! {
        #[allow(dead_code, clippy::too_many_arguments)]
        impl LoadedModule {
            /// The loaded module itself.
            pub fn as_cuda_module(&self) -> &::std::sync::Arc<::cuda_core::CudaModule> {
                self.0.module()
            }

            #setters

            #launchers
        }
    });
    let loaders: syn::File = parse_quote! {
        /// Loads the kernels that the program carries for this package.
        ///
        /// # Errors
        ///
        /// What finding and loading them reports, and a kernel that is missing there.
        #[allow(dead_code)]
        pub fn load(
            ctx: &::std::sync::Arc<::cuda_core::CudaContext>,
        ) -> ::core::result::Result<LoadedModule, ::cuda_host::EmbeddedModuleError> {
            load_named(ctx, ::core::env!("CARGO_PKG_NAME"))
        }

        /// Loads the kernels that the program carries for the package `name`. Where there are generic kernels, whose instances lie with
        /// whoever asked for them, it loads those of all packages.
        ///
        /// # Errors
        ///
        /// What finding and loading them reports, and a kernel that is missing there.
        #[allow(dead_code)]
        pub fn load_named(
            ctx: &::std::sync::Arc<::cuda_core::CudaContext>,
            name: &::core::primitive::str,
        ) -> ::core::result::Result<LoadedModule, ::cuda_host::EmbeddedModuleError> {
            let generic_kernels: &[()] = &[#(#generic),*];
            let module = if generic_kernels.is_empty() {
                ::cuda_host::load_embedded_module(ctx, name)?
            } else {
                ::cuda_host::load_all_ptx_bundles_merged(ctx)?
            };
            ::core::result::Result::Ok(from_module(module)?)
        }

        /// Wraps a module that is loaded already.
        ///
        /// # Errors
        ///
        /// `CUDA_ERROR_NOT_FOUND` where it lacks a kernel of this module.
        #[allow(dead_code)]
        pub fn from_module(
            module: ::std::sync::Arc<::cuda_core::CudaModule>,
        ) -> ::core::result::Result<LoadedModule, ::cuda_core::DriverError> {
            let kernels = ::cuda_host::launch::Kernels::new(module, &[#(#names),*])?;
            ::core::result::Result::Ok(LoadedModule(kernels))
        }

        const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!("OXIDE_FINGERPRINT");
    };
    items.extend(loaders.items);
}

fn loaded_module(about: &str) -> Item {
    parse_quote! {
        #[doc = #about]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #[allow(dead_code)]
        pub struct LoadedModule(::cuda_host::launch::Kernels);
    }
}

/// Adds `LoadedModule` to every module inside and returns the launchers of this one.
fn add_launchers(items: &mut [Item]) -> TokenStream {
    let mut launchers = TokenStream::new();
    for item in items {
        match item {
            Item::Fn(function) if function.attrs.iter().any(signature::is_kernel) => {
                // What is wrong with its signature, `#[kernel]` reports.
                let Ok(launch) = Launch::of(function) else { continue };
                for kernel in with_instances(function) {
                    if let Ok(parameters) = signature::parameters(&kernel) {
                        launchers.extend(launcher(&kernel, &launch, &parameters));
                    }
                }
            }
            Item::Mod(inner) => add_to_inner(inner),
            _ => {}
        }
    }
    launchers
}

fn add_to_inner(module: &mut ItemMod) {
    let Some((_, items)) = &mut module.content else { return };
    if Tree::of(items, &[]).kernels.is_empty() {
        return;
    }
    let launchers = add_launchers(items);
    items.push(loaded_module("The kernels of this module, loaded on a device as part of the module around it."));
    items.push(parse_quote! {
        #[allow(dead_code, clippy::too_many_arguments)]
        impl LoadedModule {
            /// These kernels of the loaded module around them.
            ///
            /// # Errors
            ///
            /// None.
            pub fn from_parent(
                parent: &super::LoadedModule,
            ) -> ::core::result::Result<Self, ::cuda_core::DriverError> {
                ::core::result::Result::Ok(Self(parent.0.clone()))
            }

            /// The loaded module itself.
            pub fn as_cuda_module(&self) -> &::std::sync::Arc<::cuda_core::CudaModule> {
                self.0.module()
            }

            #launchers
        }
    });
}

fn launcher(function: &ItemFn, launch: &Launch, parameters: &[Parameter]) -> TokenStream {
    let kernel = &function.sig.ident;
    let visibility = &function.vis;
    let generics = &function.sig.generics;
    let (generic_parameters, _, conditions) = generics.split_for_impl();
    let attributes =
        function.attrs.iter().filter(|attribute| ["doc", "cfg", "deprecated"].iter().any(|kept| attribute.path().is_ident(kept)));
    let names = parameters.iter().map(|parameter| &parameter.name);
    let types = parameters.iter().map(|parameter| argument_type(&parameter.argument));
    // Names of the macro's own, which no parameter of the kernel can be.
    let [stream, config, shape, entry_point] = ["stream", "config", "shape", "kernel"].map(|name| Ident::new(name, Span::mixed_site()));
    let values: Vec<_> = (0..parameters.len()).map(|number| format_ident!("argument_{number}", span = Span::mixed_site())).collect();
    let conversions = parameters.iter().zip(&values).map(|(Parameter { name, argument }, value)| {
        let conversion = conversion(argument);
        quote!(let mut #value = #conversion(#name);)
    });
    let entry = if signature::is_generic(generics) {
        let (ptx_name, turbofish) = (kernel::ptx_name_function(kernel), signature::turbofish(generics));
        quote!(#ptx_name #turbofish ())
    } else {
        let name = kernel.to_string();
        quote!(#name)
    };
    let cluster = match &launch.cluster {
        Some([x, y, z]) => quote!(::core::option::Option::Some((const { #x }, const { #y }, const { #z }))),
        None => quote!(::core::option::Option::None),
    };
    let cooperative = launch.cooperative;
    let about = format!("Queues `{kernel}` in `stream` and returns before it has run.");
    quote! {
        #(#attributes)*
        ///
        #[doc = #about]
        ///
        /// # Errors
        ///
        /// What the driver reports about the launch; a fault of the kernel surfaces at the next synchronisation.
        ///
        /// # Safety
        ///
        /// The kernel is sound for this shape of launch and these arguments, and nothing else uses what they point to until it has run.
        #visibility unsafe fn #kernel #generic_parameters (
            &self,
            #stream: &::cuda_core::CudaStream,
            #config: ::cuda_core::LaunchConfig,
            #(#names: #types),*
        ) -> ::core::result::Result<(), ::cuda_core::DriverError> #conditions {
            let #entry_point = self.0.get(#entry)?;
            #(#conversions)*
            let #shape = ::cuda_host::launch::Shape { config: #config, cluster: #cluster, cooperative: #cooperative };
            // SAFETY: the arguments are those of the kernel's parameters, in order; the caller vouches for the rest.
            unsafe { #entry_point.launch(#stream, #shape, &mut [#(&mut #values),*]) }
        }
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
