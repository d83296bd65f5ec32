//! Things of one name in several places, names that only Rust can spell, and names that something else has taken.

use meaning::{cases, traps};

mod left {
    pub mod same {
        pub static TABLE: [u32; 3] = [1, 2, 3];

        #[inline(never)]
        pub fn same(a: u32) -> u32 {
            a.wrapping_add(1)
        }
    }
}

mod right {
    pub mod same {
        pub static TABLE: [u32; 3] = [7, 8, 9];

        #[inline(never)]
        pub fn same(a: u32) -> u32 {
            a.wrapping_mul(3)
        }
    }

    #[inline(never)]
    pub fn same<T: Into<u64>>(a: T) -> u64 {
        a.into() ^ 9
    }
}

#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
struct r#struct {
    r#loop: u8,
    größe: u16,
}

#[inline(never)]
fn größe(länge: u32, r#type: u32) -> u32 {
    länge.wrapping_mul(r#type)
}

#[inline(never)]
fn r#match<const N: usize>(r#in: [u32; N]) -> u32 {
    r#in.iter().fold(0, |r#use, number| r#use ^ number)
}

/// Names of C's library, of LLVM's, of the device's and of PTX.
mod taken {
    macro_rules! taken {
        ($($name:ident $bit:literal)*) => {$(
            #[unsafe(no_mangle)]
            #[inline(never)]
            pub extern "C" fn $name(a: u32) -> u32 {
                a ^ 1 << $bit
            }
        )*};
    }

    taken! { vprintf 0 __nv_sinf 1 mov 2 tid 4 llvm_trap 5 }

    #[unsafe(export_name = "a.b-c<d>$e f")]
    #[inline(never)]
    pub extern "C" fn odd(a: u32) -> u32 {
        a ^ 1 << 6
    }

    #[unsafe(export_name = "WARP_SZ")]
    #[inline(never)]
    pub extern "C" fn warp_size(a: u32) -> u32 {
        a ^ 1 << 7
    }

    #[unsafe(export_name = "a.static")]
    pub static FIRST: [u32; 3] = [10, 20, 30];
    #[unsafe(export_name = "a-static")]
    pub static SECOND: [u32; 3] = [100, 200, 300];
    #[unsafe(export_name = "methods_of_one_name")]
    pub static OF_A_KERNEL: [u32; 3] = [1000, 2000, 3000];
}

trait First {
    fn same(&self) -> u32;

    fn make() -> u32 {
        5
    }
}

trait Second {
    fn same(&self) -> u32;

    fn make() -> u32 {
        6
    }
}

struct Number(u32);

impl Number {
    fn same(&self) -> u32 {
        self.0
    }

    fn make() -> u32 {
        4
    }
}

impl First for Number {
    fn same(&self) -> u32 {
        self.0 ^ 1
    }
}

impl First for &Number {
    fn same(&self) -> u32 {
        self.0 ^ 5
    }
}

impl Second for Number {
    fn same(&self) -> u32 {
        self.0 ^ 3
    }

    fn make() -> u32 {
        7
    }
}

struct Shadow<T>(T);

impl<T: Copy + Into<u32>> Shadow<T> {
    fn with<U>(&self, other: U) -> (u32, U) {
        fn same<T>(value: T) -> T {
            value
        }
        (same(self.0).into(), same::<U>(other))
    }
}

macro_rules! hygienic {
    ($value:expr) => {{
        let x = 10;
        $value ^ x
    }};
}

cases! {
    fn one_name_in_two_modules(a: u32) -> ([u32; 2], u64, u32) {
        let at = a as usize % 3;
        ([left::same::same(a), right::same::same(a)], right::same(a), left::same::TABLE[at] * 10 + right::same::TABLE[at])
    }

    fn beyond_ascii_and_raw(a: u32, b: u32) -> (u32, u32, u16) {
        let value = r#struct { r#loop: a as u8, größe: b as u16 };
        (größe(a, b), r#match([a, b, 7]), value.größe ^ value.r#loop as u16)
    }

    fn names_that_others_have(a: u32, b: f32) -> (u32, f32, u32) {
        use taken::*;
        let number = vprintf(__nv_sinf(mov(tid(llvm_trap(odd(warp_size(a)))))));
        let angle = if b.abs() < 1e3 { b.sin() * 0.0 + 1.0 } else { 1.0 };
        (number, angle, FIRST[a as usize % 3] + SECOND[a as usize % 3] + OF_A_KERNEL[a as usize % 3])
    }

    fn methods_of_one_name(a: u32) -> [u32; 7] {
        let number = Number(a);
        [
            number.same(), First::same(&number), Second::same(&number), <&Number as First>::same(&&number), Number::make(),
            <Number as First>::make(), <Number as Second>::make(),
        ]
    }

    fn shadowed(a: u16, b: u64) -> (u32, u64, u32) {
        let (x, y) = Shadow(a).with(b);
        let x = x + 1;
        {
            let x = 9u8;
            let _ = x;
        }
        (x, y, hygienic!(x))
    }

    fn items_of_blocks(a: u32) -> u32 {
        const LIMIT: u32 = 3;
        fn change(a: u32) -> u32 {
            a.wrapping_add(LIMIT)
        }
        let inner = {
            const LIMIT: u32 = 4;
            fn change(a: u32) -> u32 {
                a ^ LIMIT
            }
            change(a)
        };
        inner ^ change(a)
    }
}

traps! {}
