//! What the macros make of a function or module, and what they refuse.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Block, Lifetime, Type, parse_quote};

use crate::{
    body::{self, Head},
    device_copy, external, kernel, launch, module, signature,
};

#[test]
fn index_calls_take_the_scope() {
    let mut block: Block = parse_quote!({
        let i = thread::index_1d();
        let j = index_2d::<16>();
        let k = (thread::index_2d_runtime(&out), warp_index(), index_1d_u32(launch));
        assert!(out.get_mut_indexed().is_some(), "{}", i.get());
        let closure = || thread::index_1d();
        fn inner() {
            index_1d()
        }
    });
    body::expand(&mut block, &Head::default()).unwrap();
    let expected: Block = parse_quote!({
        let launch = unsafe { ::cuda_device::thread::LaunchContext::<::cuda_device::thread::UnknownDomain>::new() };
        let scope = launch.scope();
        let i = thread::index_1d(scope);
        let j = index_2d::<16>(scope);
        let k = (thread::index_2d_runtime(scope, &out), warp_index(scope), index_1d_u32(launch));
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
    body::expand(&mut block, &Head::default()).unwrap();
    assert_eq!(quote!(#block).to_string(), written.to_string());
}

#[test]
fn lifetimes_in_a_type() {
    let kind: Type = parse_quote!((&'ab u32, Pair<'c, [Borrow<'d>; 2]>));
    for (lifetime, is_there) in [("'ab", true), ("'c", true), ("'d", true), ("'a", false), ("'b", false)] {
        assert_eq!(signature::has_lifetime(&kind, &Lifetime::new(lifetime, Span::call_site())), is_there, "{lifetime}");
    }
}

#[test]
fn loops_are_marked_before_and_inside() {
    let mut block: Block = parse_quote!({
        #[unroll]
        'outer: for i in 0..4 {
            #[unroll(P::COUNT)]
            while more() {
                continue 'outer;
            }
        }
    });
    body::expand(&mut block, &Head::default()).unwrap();
    let expected: Block = parse_quote!({
        {
            ::cuda_device::kernel::unroll(1u32, 0, false);
            'outer: for i in 0..4 {
                ::cuda_device::kernel::unroll(1u32, 0, true);
                {
                    ::cuda_device::kernel::unroll(
                        0u32,
                        const {
                            #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
                            let factor = (P::COUNT) as ::core::primitive::u64;
                            ::cuda_device::kernel::unroll_factor(factor)
                        },
                        false,
                    );
                    while more() {
                        ::cuda_device::kernel::unroll(
                            0u32,
                            const {
                                #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
                                let factor = (P::COUNT) as ::core::primitive::u64;
                                ::cuda_device::kernel::unroll_factor(factor)
                            },
                            true,
                        );
                        continue 'outer;
                    }
                }
            }
        }
    });
    let spaced = |block: &Block| quote!(#block).to_string().replace(", )", ")").replace(" ,)", ")");
    assert_eq!(spaced(&block), spaced(&expected));
}

#[test]
fn unchecked_indexing_holds_for_the_body_and_its_closures() {
    let mut block: Block = parse_quote!({
        let at = |i: usize| a[i];
        fn other() {}
    });
    body::expand(&mut block, &Head { unchecked_indexing: true, ..Head::default() }).unwrap();
    let expected: Block = parse_quote!({
        ::cuda_device::kernel::unchecked_indexing();
        let at = |i: usize| {
            ::cuda_device::kernel::unchecked_indexing();
            a[i]
        };
        fn other() {}
    });
    assert_eq!(quote!(#block).to_string(), quote!(#expected).to_string());
}

#[test]
fn external_functions_are_called_by_their_symbol() {
    let block = parse_quote!(
        extern "C" {
            /// Twice.
            #[pure]
            #[link_name = "twice_f32"]
            fn twice(x: f32) -> f32;
            pub(crate) fn meet(_: u8);
        }
    );
    let made = external::expand(&TokenStream::new(), block).unwrap().to_string();
    let compact: String = made.split_whitespace().collect();
    assert!(compact.contains("pubunsafefntwice(x:f32)->f32{"), "{made}");
    assert!(compact.contains(r#"call::<(f32,),f32>("twice_f32",0|::cuda_device::external::PURE,(x,))"#), "{made}");
    assert!(compact.contains("pub(crate)unsafefnmeet(argument_0:u8)->()"), "{made}");
    assert!(compact.contains(r#"call::<(u8,),()>("meet",0,(argument_0,))"#), "{made}");
}

#[test]
fn misused_external_functions() {
    for (block, message) in [
        (
            quote!(
                extern "system" {
                    fn f();
                }
            ),
            "have the ABI \"C\", got \"system\"",
        ),
        (
            quote!(
                extern "C" {
                    static X: u32;
                }
            ),
            "declares functions",
        ),
        (
            quote!(
                extern "C" {
                    fn f(a: u32, ...);
                }
            ),
            "as many arguments as it has parameters",
        ),
        (
            quote!(
                extern "C" {
                    fn f<T>(a: T);
                }
            ),
            "is not generic",
        ),
        (
            quote!(
                unsafe extern "C" {
                    safe fn f();
                }
            ),
            "unsafe to call",
        ),
        (
            quote!(
                extern "C" {
                    #[pure]
                    #[pure]
                    fn f();
                }
            ),
            "a second `#[pure]`",
        ),
        (
            quote!(
                extern "C" {
                    #[pure]
                    #[readonly]
                    fn f();
                }
            ),
            "read no memory",
        ),
        (
            quote!(
                extern "C" {
                    #[readonly(a)]
                    fn f();
                }
            ),
            "takes no arguments",
        ),
    ] {
        let made = external::expand(&TokenStream::new(), parse_quote!(#block));
        let error = made.expect_err(&block.to_string()).into_compile_error().to_string();
        assert!(error.contains(&message.replace('"', "\\\"")), "{error}");
    }
}

#[test]
fn a_thread_index_is_not_returned() {
    for output in [quote!(ThreadIndex), quote!(Option<thread::ThreadIndex<'a, X>>)] {
        let function = parse_quote!(fn f<'a>() -> #output { todo!() });
        expect_error(&output.to_string(), kernel::expand_device(&TokenStream::new(), function), "a `ThreadIndex` cannot leave");
    }
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
                fn k(a: Uniform) {}
            ),
            "`Uniform` without its element type",
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
                    #[unroll(1)]
                    for i in 0..4 {}
                }
            ),
            "no factor, or one from 2 to 1024",
        ),
        (
            quote!(
                fn k() {
                    #[unroll(1025)]
                    while true {}
                }
            ),
            "no factor, or one from 2 to 1024",
        ),
        (
            quote!(
                fn k() {
                    #[unroll = 4]
                    loop {}
                }
            ),
            "no factor, or one from 2 to 1024",
        ),
        (
            quote!(
                fn k() {
                    #[unroll]
                    #[unroll(4)]
                    for i in 0..4 {}
                }
            ),
            "a second `#[unroll]`",
        ),
    ] {
        let written = function.to_string();
        expect_error(&written, kernel::expand(&TokenStream::new(), parse_quote!(#function)), message);
    }
    for (arguments, message) in [
        (quote!(f32), "exactly one type parameter"),
        (quote!(unchecked_indexing, unchecked_indexing), "a second `unchecked_indexing`"),
        (quote!(launch_context = a), "a parameter `a` already"),
        (quote!(launch_context = l, launch_context = m), "a second `launch_context`"),
        (quote!(name = l), "takes `launch_context = name`, `unchecked_indexing` or types"),
    ] {
        let function = parse_quote!(
            fn k(a: u32) {}
        );
        expect_error(&arguments.to_string(), kernel::expand(&arguments, function), message);
    }
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
fn a_contract_says_what_the_context_is() {
    let expansion = kernel::expand(
        &quote!(launch_context = launch),
        parse_quote!(
            #[launch_contract(domain = 1, coordinates = u32, block = (B, 1, 1), dynamic_shared_alignment = 64)]
            #[launch_bounds(256, 2)]
            #[cluster_launch(2)]
            fn k(n: Uniform<u32>) {
                warp_index();
            }
        ),
    )
    .to_string();
    for part in [
        quote!(::cuda_device::kernel::launch_bounds(const { 0 }, const { 2 });),
        quote!(::cuda_device::kernel::check_shape([B, 1, 1], 1u32, 256)),
        quote!(::cuda_device::kernel::required_block(const { B }, const { 1 }, const { 1 });),
        quote!(::cuda_device::kernel::cluster(const { 2 }, const { 1 }, const { 1 });),
        quote!(::cuda_device::kernel::dynamic_shared_alignment(const { 64 });),
        quote!(::cuda_device::thread::LaunchContext::<::cuda_device::thread::Domain1D, ::cuda_device::thread::U32Coordinates>::new()),
        quote!(
            let launch = scope;
            warp_index(scope);
        ),
        quote!(#[cluster_launch(__oxide_read)]),
    ] {
        assert!(expansion.contains(&part.to_string()), "{part}\nis not in {expansion}");
    }
}

#[test]
fn types_have_entries() {
    let expansion = kernel::expand(
        &quote!(f32, half::f16),
        parse_quote!(
            /// About.
            #[launch_bounds(T::MOST)]
            unsafe fn k<'a, T: Most>(mut x: [T; 2], out: &'a [Option<T>], size: [u8; T::SIZE]) {
                x = [T::default(); 2];
            }
        ),
    )
    .to_string();
    for part in [
        quote!(unsafe fn k_f32<'a>(x: [f32; 2], out: &'a [Option<f32>], size: [u8; <f32>::SIZE])),
        quote!(::cuda_device::kernel::launch_bounds(const { <half::f16>::MOST }, const { 0 });),
        quote!(unsafe { k::<half::f16>(x, out, size) }),
        quote!(impl ::cuda_device::kernel::CudaKernel for __k_f16_CudaKernel),
    ] {
        assert!(expansion.contains(&part.to_string()), "{part}\nis not in {expansion}");
    }
}

#[test]
fn misused_launch_attributes() {
    for (attributes, message) in [
        (quote!(#[launch_bounds(0)]), "allows no thread"),
        (quote!(#[launch_bounds()]), "takes the threads of a block"),
        (quote!(#[launch_bounds(1, 2, 3)]), "takes the threads of a block"),
        (quote!(#[launch_bounds(64)] #[cuda_device::launch_bounds(64)]), "a second `#[launch_bounds]`"),
        (quote!(#[cluster_launch(2, 0)]), "an extent of 0"),
        (quote!(#[cluster_launch(1, 1, 1, 1)]), "takes the blocks of a cluster"),
        (quote!(#[cooperative_launch(true)]), "takes no arguments"),
        (quote!(#[launch_contract]), "needs `domain = 1`"),
        (quote!(#[launch_contract(block = (1, 1, 1))]), "needs `domain = 1`"),
        (quote!(#[launch_contract(domain = 4, block = (1, 1, 1))]), "`domain` is 1, 2 or 3"),
        (quote!(#[launch_contract(domain = 1)]), "needs `block = (x, y, z)`"),
        (quote!(#[launch_contract(domain = 1, block = (64, 1))]), "`block` is `(x, y, z)`"),
        (quote!(#[launch_contract(domain = 1, block = (64, 0, 1))]), "an extent of 0"),
        (quote!(#[launch_contract(domain = 1, block = (64, 2, 1))]), "no block beyond 1"),
        (quote!(#[launch_contract(domain = 2, block = (64, 2, 1))] #[cluster_launch(1, 1, 2)]), "no cluster beyond 1"),
        (quote!(#[launch_contract(domain = 2, block = (64, 2, 1))] #[launch_bounds(64)]), "a block of 128 threads"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), block = (1, 1, 1))]), "a second `block`"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), coordinates = u64)]), "`coordinates` is `u32`"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), colour = 3)]), "`colour` is not a key of a contract"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), dynamic_shared_alignment = 24)]), "a power of two"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), dynamic_shared_range = (2, 1))]), "is `(min, max)`"),
        (
            quote!(#[launch_contract(domain = 1, block = (1, 1, 1), dynamic_shared = 1, dynamic_shared_range = (1, 2))]),
            "already sets the bytes",
        ),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1), min_compute_capability = 9)]), "is `(major, minor)`"),
        (quote!(#[launch_contract(domain = 1, block = (1, 1, 1))]), "no `&mut [T]` is taken"),
        (
            quote!(#[launch_contract(domain = 3, block = (1, 1, 1))]),
            "`Index2D` is for launches with `domain = 1` or `domain = 2`, got `domain = 3`",
        ),
    ] {
        let function = parse_quote!(#attributes fn k(m: &mut [u8], out: DisjointSlice<u8, thread::Index2D<4>>) {});
        expect_error(&attributes.to_string(), kernel::expand(&TokenStream::new(), function), message);
    }
}

#[test]
fn a_slice_without_a_space_is_for_launches_along_x() {
    let function = parse_quote!(
        #[launch_contract(domain = 2, block = (64, 1, 1))]
        fn k(out: DisjointSlice<f32>) {}
    );
    expect_error(
        "no space",
        kernel::expand(&TokenStream::new(), function),
        "`Index1D` is for launches with `domain = 1`, got `domain = 2`",
    );
}

#[test]
fn size_relations() {
    let relations = |relations: &TokenStream| {
        let function = parse_quote!(
            #[launch_contract(domain = 1, block = (64, 1, 1), requires = (#relations))]
            fn k(a: &[f32], n: u32, m: Uniform<usize>, signed: i32, x: f32, out: DisjointSlice<f32>) {}
        );
        kernel::expand(&TokenStream::new(), function)
    };
    let fine = relations(&quote!(a.len() >= n, (out.len() + 1) * 2 - m == (a.len()), n != 3u64, n < 4, 1 <= n, n > m,)).to_string();
    assert!(!fine.contains("compile_error"), "{fine}");
    for (relation, message) in [
        (quote!(a.len()), "one comparison, such as"),
        (quote!(a.len() + 1), "a size relation is one comparison:"),
        (quote!(a.len() >= n && n > 1), "a size relation is one comparison:"),
        (quote!((a.len() >= n) == (n > 1)), "cannot be chained"),
        (quote!(1 < n < 3), "chained"),
        (quote!(a.len() >= n / 2), "computed with `+`, `-` and `*`"),
        (quote!(a.len() >= b.len()), "no parameter `b`"),
        (quote!(a.len() >= COUNT), "no parameter `COUNT`"),
        (quote!(a.len() >= signed), "not an unsigned integer"),
        (quote!(a.len() >= x), "not an unsigned integer"),
        (quote!(n.len() >= 1), "is not a slice"),
        (quote!(a >= n), "write `a.len()`"),
        (quote!(a.iter().len() >= n), "that of a slice parameter"),
        (quote!(a.len() >= -1), "a size is made of"),
    ] {
        expect_error(&relation.to_string(), relations(&relation), message);
    }
}

#[test]
fn a_launch_attribute_moves_behind_the_kernel_attribute() {
    let moved = launch::expand(
        "launch_bounds",
        &quote!(64),
        quote!(
            #[kernel]
            fn k() {}
        ),
    );
    assert_eq!(
        moved.to_string(),
        quote!(
            #[kernel]
            #[::cuda_device::launch_bounds(64)]
            fn k() {}
        )
        .to_string()
    );
    let read = quote!(
        fn k() {}
    );
    assert_eq!(launch::expand("launch_bounds", &quote!(__oxide_read), read.clone()).to_string(), read.to_string());
    expect_error("no kernel", launch::expand("launch_bounds", &quote!(64), read), "stands beside `#[kernel]`");
    expect_error(
        "no function",
        launch::expand(
            "cooperative_launch",
            &TokenStream::new(),
            quote!(
                struct S;
            ),
        ),
        "stands beside `#[kernel]`",
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
