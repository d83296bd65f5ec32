//! `#[cuda_module]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Ident, Item, ItemFn, ItemMod, parse_quote};

use crate::{
    constant::{self, Constant},
    instances::{self, Instance},
    kernel::Options,
    launch::Launch,
    launcher,
    signature::{self, Errors},
};

/// Names that a launcher cannot have.
const RESERVED: [&str; 7] = ["load", "load_named", "load_async", "load_async_named", "from_module", "from_parent", "as_cuda_module"];

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
    check_names(&tree, items, constants.as_deref().unwrap_or_default())?;
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
    contract: bool,
    cfgs: Vec<Attribute>,
}

impl Tree {
    fn of(items: &[Item], outer_cfgs: &[Attribute]) -> Self {
        let mut kernels = Vec::new();
        for item in items {
            match item {
                Item::Fn(function) if function.attrs.iter().any(signature::is_kernel) => {
                    kernels.extend(with_instances(function).iter().map(|Instance { function, launch }| Entry {
                        name: function.sig.ident.clone(),
                        generic: signature::is_generic(&function.sig.generics),
                        contract: launch.contract.is_some(),
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
fn with_instances(function: &ItemFn) -> Vec<Instance> {
    let types = Options::of(function).unwrap_or_default().types;
    let launch = Launch::of(function).unwrap_or_default();
    let entries = instances::entries(function, &function.sig.ident, &types, &launch).unwrap_or_default();
    std::iter::once(Instance { function: function.clone(), launch }).chain(entries).collect()
}

fn cfgs(outer: &[Attribute], attributes: &[Attribute]) -> Vec<Attribute> {
    outer.iter().chain(attributes).filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

fn check_names(tree: &Tree, items: &[Item], constants: &[Constant]) -> Result<(), Error> {
    let mut errors = Errors::default();
    for (position, Entry { name, .. }) in tree.kernels.iter().enumerate() {
        if RESERVED.iter().any(|reserved| name == reserved) {
            errors.add(name, &format!("`{name}` is a method of `LoadedModule`: a kernel needs another name"));
        }
        if tree.kernels[..position].iter().any(|earlier| earlier.name == *name) {
            errors.add(name, &format!("a second kernel `{name}` in this `#[cuda_module]`"));
        }
    }
    let setters = constants.iter().flat_map(|constant| constant.setters().map(|setter| (setter.to_string(), constant.to_string())));
    check_methods(items, setters.collect(), &mut errors);
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

/// Refuses kernels whose launchers would have the name of another's, or of a constant's setter: `methods` are those that there are already,
/// with what they are for.
fn check_methods(items: &[Item], mut methods: Vec<(String, String)>, errors: &mut Errors) {
    for item in items {
        match item {
            Item::Fn(function) if function.attrs.iter().any(signature::is_kernel) => {
                for Instance { function, launch } in with_instances(function) {
                    let kernel = function.sig.ident;
                    let of = format!("the kernel `{kernel}`");
                    for method in launcher::names(&kernel, &launch, signature::is_generic(&function.sig.generics)) {
                        match methods.iter().find(|(name, other)| *name == method && *other != of) {
                            Some((_, other)) => {
                                errors.add(&kernel, &format!("`LoadedModule` would have `{method}` twice: for {other} and for {of}"));
                            }
                            None => methods.push((method, of.clone())),
                        }
                    }
                }
            }
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    check_methods(items, Vec::new(), errors);
                }
            }
            _ => {}
        }
    }
}

fn add_to_root(items: &mut Vec<Item>, tree: &Tree, constants: &[Constant]) {
    let setters = constant::setters(constants);
    let launchers = add_launchers(items);
    items.push(loaded_module("The kernels of this module, loaded on a device. Clones share the loaded module."));
    items.push(parse_quote! {
        #[allow(dead_code, clippy::too_many_arguments, clippy::multiple_bound_locations)]
        impl LoadedModule {
            /// The loaded module itself.
            pub fn as_cuda_module(&self) -> &::std::sync::Arc<::cuda_core::CudaModule> {
                self.0.module()
            }

            #setters

            #launchers
        }
    });
    items.extend(loaders(tree));
}

/// The functions that load the module. Where a kernel's launches are safe by its contract, loading is `unsafe`.
fn loaders(tree: &Tree) -> Vec<Item> {
    let names = tree.kernels.iter().filter(|kernel| !kernel.generic).map(|Entry { name, cfgs, .. }| {
        let name = name.to_string();
        quote!(#(#cfgs)* #name)
    });
    let generic = tree.kernels.iter().filter(|kernel| kernel.generic).map(|Entry { cfgs, .. }| quote!(#(#cfgs)* ()));
    let contract = tree.kernels.iter().any(|kernel| kernel.contract);
    let (unsafety, safety) = if contract {
        let about =
            "\n\n# Safety\n\nWhat is loaded under this name was compiled from this source: safe launches of its kernels rest on that.";
        (quote!(unsafe), quote!(#[doc = #about]))
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    // What is unsafe to call is called with the caller's word for it.
    let call = |call: TokenStream| match contract {
        true => quote! {
            // SAFETY: the caller vouches for what is loaded.
            unsafe { #call }
        },
        false => call,
    };
    let [named, wrapped] = [quote!(load_named(ctx, ::core::env!("CARGO_PKG_NAME"))), quote!(from_module(module))].map(call);
    let asynchronous = cfg!(feature = "async").then(|| {
        let [by_package, by_name] =
            [quote!(load_async_named(device_id, ::core::env!("CARGO_PKG_NAME"))), quote!(load_named(ctx, name))].map(call);
        quote! {
            /// [`load`] in the context of a device that asynchronous operations use on this thread.
            ///
            /// # Errors
            ///
            /// What finding and loading the kernels reports.
            #safety
            #[allow(dead_code)]
            pub #unsafety fn load_async(
                device_id: ::core::primitive::usize,
            ) -> ::core::result::Result<LoadedModule, ::cuda_host::cuda_async::error::DeviceError> {
                #by_package
            }

            /// [`load_named`] in the context of a device that asynchronous operations use on this thread.
            ///
            /// # Errors
            ///
            /// What finding and loading the kernels reports.
            #safety
            #[allow(dead_code)]
            pub #unsafety fn load_async_named(
                device_id: ::core::primitive::usize,
                name: &::core::primitive::str,
            ) -> ::core::result::Result<LoadedModule, ::cuda_host::cuda_async::error::DeviceError> {
                ::cuda_host::async_launch::load(device_id, |ctx| #by_name)
            }
        }
    });
    let loaders: syn::File = parse_quote! {
        /// Loads the kernels that the program carries for this package.
        ///
        /// # Errors
        ///
        /// What finding and loading them reports, and a kernel that is missing there.
        #safety
        #[allow(dead_code)]
        pub #unsafety fn load(
            ctx: &::std::sync::Arc<::cuda_core::CudaContext>,
        ) -> ::core::result::Result<LoadedModule, ::cuda_host::EmbeddedModuleError> {
            #named
        }

        /// Loads the kernels that the program carries for the package `name`. Where there are generic kernels, whose instances lie with
        /// whoever asked for them, it loads those of all packages.
        ///
        /// # Errors
        ///
        /// What finding and loading them reports, and a kernel that is missing there.
        #safety
        #[allow(dead_code)]
        pub #unsafety fn load_named(
            ctx: &::std::sync::Arc<::cuda_core::CudaContext>,
            name: &::core::primitive::str,
        ) -> ::core::result::Result<LoadedModule, ::cuda_host::EmbeddedModuleError> {
            let generic_kernels: &[()] = &[#(#generic),*];
            let module = if generic_kernels.is_empty() {
                ::cuda_host::load_embedded_module(ctx, name)?
            } else {
                ::cuda_host::load_all_ptx_bundles_merged(ctx)?
            };
            ::core::result::Result::Ok(#wrapped?)
        }

        /// Wraps a module that is loaded already.
        ///
        /// # Errors
        ///
        /// `CUDA_ERROR_NOT_FOUND` where it lacks a kernel of this module.
        #safety
        #[allow(dead_code)]
        pub #unsafety fn from_module(
            module: ::std::sync::Arc<::cuda_core::CudaModule>,
        ) -> ::core::result::Result<LoadedModule, ::cuda_core::DriverError> {
            let kernels = ::cuda_host::launch::Kernels::new(module, &[#(#names),*])?;
            ::core::result::Result::Ok(LoadedModule(kernels))
        }

        #asynchronous

        const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!("OXIDE_FINGERPRINT");
    };
    loaders.items
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
                // What is wrong with its signature or its attributes, `#[kernel]` reports.
                if Launch::of(function).is_err() {
                    continue;
                }
                for Instance { function, launch } in with_instances(function) {
                    if let Ok(parameters) = signature::parameters(&function) {
                        launchers.extend(launcher::launchers(&function, &launch, &parameters));
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
        #[allow(dead_code, clippy::too_many_arguments, clippy::multiple_bound_locations)]
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
