//! The names of instances of generic kernels.

use std::{
    any::TypeId,
    collections::HashMap,
    mem,
    sync::{LazyLock, Mutex, PoisonError},
};

/// The name of one instance of a generic kernel in the PTX: `BASE_TID_` and the type id of the kernel's function item, as 32 hexadecimal
/// digits.
///
/// The compiler makes an entry of this name for every `F` with which it meets this function. The same `F` gives the same string.
#[inline(never)]
pub fn instance_name<F>(base: &'static str, _kernel: &F) -> &'static str {
    static NAMES: LazyLock<Mutex<HashMap<(&str, u128), &str>>> = LazyLock::new(Mutex::default);
    let type_id = type_id_u128::<F>();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    // A program has a bounded number of instances.
    names.entry((base, type_id)).or_insert_with(|| format!("{base}_TID_{type_id:032x}").leak())
}

/// rustc's identity of a type, lifetimes erased: the number behind [`TypeId`], for types that borrow too.
pub fn type_id_u128<T: ?Sized>() -> u128 {
    // SAFETY: a type id is its hash, 16 bytes; the sizes are compared here, and the compiler that names the instances by the same hash
    // is of one version with this library.
    unsafe { mem::transmute::<TypeId, u128>(typeid::of::<T>()) }
}

/// [`type_id_u128`] of a value's type, which for a closure has no name.
pub fn type_id_u128_of_val<T: ?Sized>(_value: &T) -> u128 {
    type_id_u128::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic<T, const N: usize>(_: &T) {}

    #[test]
    fn one_name_an_instance() {
        let name = instance_name("generic", &generic::<u32, 1>);
        let digits = name.strip_prefix("generic_TID_").unwrap();
        assert_eq!(digits.len(), 32);
        assert!(digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));
        assert!(std::ptr::eq(name, instance_name("generic", &generic::<u32, 1>)));
        assert_ne!(name, instance_name("generic", &generic::<u32, 2>));
        assert_ne!(name, instance_name("generic", &generic::<i32, 1>));
    }

    #[test]
    fn lifetimes_do_not_distinguish() {
        fn of_borrowed<'a>(_: &'a str) -> u128 {
            type_id_u128::<&'a str>()
        }
        assert_eq!(of_borrowed(&String::from("short")), type_id_u128::<&'static str>());
        let captured = 1;
        let closure = || captured;
        assert_eq!(type_id_u128_of_val(&closure), type_id_u128_of_val(&closure));
    }
}
