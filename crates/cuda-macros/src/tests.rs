//! What the macros make of a function or module, and what they refuse.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, parse_quote};

use crate::{body, device_copy, kernel, module};

#[test]
fn index_calls_take_the_scope() {
    let mut block: Block = parse_quote!({
        let i = thread::index_1d();
        let j = index_2d::<16>();
        assert!(out.get_mut_indexed().is_some(), "{}", i.get());
        let closure = || thread::index_1d();
        fn inner() {
            index_1d()
        }
    });
    body::expand(&mut block).unwrap();
    let expected: Block = parse_quote!({
        let launch = unsafe { ::cuda_device::thread::LaunchContext::<::cuda_device::thread::UnknownDomain>::new() };
        let scope = launch.scope();
        let i = thread::index_1d(scope);
        let j = index_2d::<16>(scope);
        assert!(out.get_mut_indexed(scope).is_some(), "{}", i.get());
        let closure = || thread::index_1d(scope);
        fn inner() {
            index_1d()
        }
    });
    assert_eq!(quote!(#block).to_string(), quote!(#expected).to_string());
}

#[test]
fn a_body_without_index_calls_is_kept() {
    let written = quote!({ unsafe { *out = 42 } });
    let mut block: Block = parse_quote!(#written);
    body::expand(&mut block).unwrap();
    assert_eq!(quote!(#block).to_string(), written.to_string());
}

#[test]
fn misused_kernels() {
    for (function, message) in [
        (
            quote!(
                fn k() -> i32 {
                    0
                }
            ),
            "a kernel returns nothing",
        ),
        (
            quote!(
                async fn k() {}
            ),
            "a kernel cannot be async",
        ),
        (
            quote!(
                extern "C" fn k() {}
            ),
            "a kernel cannot be extern",
        ),
        (
            quote!(
                fn k(&self) {}
            ),
            "it cannot take `self`",
        ),
        (
            quote!(
                fn k((a, b): (u32, u32)) {}
            ),
            "a plain identifier, not a pattern",
        ),
        (
            quote!(
                fn k(f: impl Fn()) {}
            ),
            "write a type parameter",
        ),
        (
            quote!(
                fn k(a: &u32) {}
            ),
            "cannot refer to host memory",
        ),
        (
            quote!(
                fn k(a: &mut [u32; 4]) {}
            ),
            "cannot refer to host memory",
        ),
        (
            quote!(
                fn k(a: DisjointSlice) {}
            ),
            "without its element type",
        ),
        (
            quote!(
                fn k(a: Uniform<u32>) {}
            ),
            "`Uniform` is not yet supported",
        ),
        (
            quote!(
                fn r#type() {}
            ),
            "cannot be a raw identifier",
        ),
        (
            quote!(
                fn cuda_oxide_k() {}
            ),
            "are reserved",
        ),
        (
            quote!(
                fn k() {
                    #[unroll(4)]
                    for i in 0..4 {}
                }
            ),
            "`#[unroll]` is not yet supported",
        ),
        (
            quote!(
                fn k() {
                    thread::warp_index();
                }
            ),
            "`warp_index` is not yet supported",
        ),
    ] {
        let written = function.to_string();
        expect_error(&written, kernel::expand(&TokenStream::new(), parse_quote!(#function)), message);
    }
    expect_error(
        "arguments",
        kernel::expand(
            &quote!(f32),
            parse_quote!(
                fn k<T>() {}
            ),
        ),
        "are not yet supported",
    );
    expect_error(
        "arguments",
        kernel::expand_device(
            &quote!(f32),
            parse_quote!(
                fn f() {}
            ),
        ),
        "takes no arguments",
    );
}

#[test]
fn misused_modules() {
    for (module, message) in [
        (
            quote!(
                mod m;
            ),
            "needs the module's body",
        ),
        (
            quote!(
                mod m {
                    fn helper() {}
                }
            ),
            "without a kernel",
        ),
        (
            quote!(
                mod m {
                    #[kernel]
                    fn k() {}
                    mod n {
                        #[kernel]
                        fn k() {}
                    }
                }
            ),
            "a second kernel `k`",
        ),
        (
            quote!(
                mod m {
                    #[kernel]
                    fn load() {}
                }
            ),
            "`load` is a method of `LoadedModule`",
        ),
        (
            quote!(
                mod m {
                    struct LoadedModule;
                    #[kernel]
                    fn k() {}
                }
            ),
            "choose another name",
        ),
    ] {
        let written = module.to_string();
        expect_error(&written, module::expand(&TokenStream::new(), parse_quote!(#module)), message);
    }
    let module = parse_quote!(
        mod m {
            #[kernel]
            fn k() {}
        }
    );
    expect_error("arguments", module::expand(&quote!(name), module), "takes no arguments");
}

#[test]
fn an_enum_is_not_plain_bytes() {
    let error = device_copy::expand(parse_quote!(
        enum E {
            A,
        }
    ))
    .unwrap_err();
    assert!(error.to_string().contains("write `unsafe impl DeviceCopy` by hand"));
}

fn expect_error(written: &str, expansion: TokenStream, message: &str) {
    let expansion = expansion.to_string();
    assert!(expansion.contains("compile_error") && expansion.contains(message), "{written}\ngave {expansion}");
}
