//! Raw pointers and references.

use std::{
    cell::{Cell, UnsafeCell},
    ptr,
};

use crate::case::{cases, traps};

#[inline(never)]
fn increase(value: &mut u32) -> &mut u32 {
    *value = value.wrapping_add(1);
    value
}

#[inline(never)]
fn longer<'a>(a: &'a [u8], b: &'a [u8]) -> &'a [u8] {
    if a.len() > b.len() { a } else { b }
}

cases! {
    fn read_and_write(a: u32, b: u8) -> (u32, u8, [u8; 4]) {
        let (mut word, mut bytes) = (a, [b; 4]);
        let (word_at, bytes_at) = (&raw mut word, bytes.as_mut_ptr());
        // SAFETY: locals, in bounds.
        unsafe {
            *word_at ^= 1;
            word_at.write(word_at.read().wrapping_add(b as u32));
            *bytes_at.add(2) = 9;
            ptr::write(bytes_at, bytes_at.add(3).read().wrapping_add(1));
            (word, *bytes_at.offset(1), bytes)
        }
    }

    fn arithmetic(values: [u64; 6], i: usize) -> (u64, isize, usize, bool) {
        let i = i % 6;
        let start = values.as_ptr();
        // SAFETY: in bounds.
        unsafe {
            let here = start.add(i);
            let back = here.offset(-(i as isize));
            (*here ^ *back, here.offset_from(start), start.add(6).offset_from_unsigned(here), back == start)
        }
    }

    fn out_of_the_object(a: usize) -> (usize, bool) {
        let value = 5u32;
        let pointer = &raw const value;
        let far = pointer.wrapping_add(a).wrapping_sub(a);
        (far.addr() - pointer.addr(), far == pointer)
    }

    fn unaligned(values: [u8; 12], i: usize) -> (u32, u64, [u8; 12]) {
        let mut values = values;
        let i = i % 5;
        // SAFETY: in bounds.
        unsafe {
            let at = values.as_mut_ptr().add(i);
            let found = (at.cast::<u32>().read_unaligned(), at.cast::<u64>().read_unaligned());
            at.add(1).cast::<u16>().write_unaligned(0x1234);
            (found.0, found.1, values)
        }
    }

    fn copies(values: [u16; 8], from: usize, to: usize, count: usize) -> ([u16; 8], [u16; 8]) {
        let (from, to, count) = (from % 4, to % 4, count % 5);
        let (mut moved, mut apart) = (values, [0; 8]);
        let at = moved.as_mut_ptr();
        // SAFETY: in bounds; the arrays are apart.
        unsafe {
            ptr::copy(at.add(from), at.add(to), count);
            ptr::copy_nonoverlapping(values.as_ptr().add(from), apart.as_mut_ptr().add(to), count);
            ptr::write_bytes(apart.as_mut_ptr().add(4 + from), 0xab, 4 - from);
        }
        (moved, apart)
    }

    fn swaps(a: u64, b: u64) -> (u64, u64, u64) {
        let (mut a, mut b) = (a, b);
        // SAFETY: two locals.
        let before = unsafe {
            ptr::swap(&raw mut a, &raw mut b);
            ptr::replace(&raw mut a, 7)
        };
        (a, b, before)
    }

    fn volatile(a: u32, b: bool) -> (u32, bool) {
        let (mut number, mut truth) = (0, false);
        // SAFETY: two locals.
        unsafe {
            (&raw mut number).write_volatile(a);
            (&raw mut truth).write_volatile(b);
            ((&raw const number).read_volatile(), (&raw const truth).read_volatile())
        }
    }

    fn cells(a: u32) -> (u32, u32, u32) {
        let (cell, inner) = (Cell::new(a), UnsafeCell::new(a));
        let (first, second) = (&cell, &cell);
        first.set(second.get() ^ 1);
        // SAFETY: no reference to the content is held.
        unsafe { *inner.get() = inner.get().read().wrapping_mul(3) };
        (second.replace(5), cell.into_inner(), inner.into_inner())
    }

    fn reborrowed(a: u32) -> (u32, u32) {
        let mut value = a;
        *increase(increase(&mut value)) ^= 3;
        let shared = &value;
        let twice = &shared;
        (**twice, *shared)
    }

    fn lifetimes(a: [u8; 5], b: [u8; 3], cut: usize) -> (usize, u8) {
        let found = longer(&a[cut % 6..], &b);
        (found.len(), found[0])
    }

    fn fat(values: [u32; 5], i: usize) -> (usize, u32, bool, usize) {
        let slice: *const [u32] = &values[i % 5..];
        // SAFETY: points at the local.
        let first = unsafe { (&*slice)[0] };
        let built = ptr::slice_from_raw_parts(values.as_ptr(), 3);
        (slice.len(), first, ptr::eq(slice, &values[..]), built.len())
    }

    fn null(a: u32, take: bool) -> (bool, u32) {
        let pointer: *const u32 = if take { &a } else { ptr::null() };
        // SAFETY: null or the local's address.
        (pointer.is_null(), unsafe { pointer.as_ref() }.map_or(8, |value| value ^ 1))
    }

    fn pointer_to_field(a: u8, b: u64) -> (u64, u8) {
        #[repr(C)]
        struct Pair {
            small: u8,
            large: u64,
        }
        let mut pair = Pair { small: a, large: b };
        let large = &raw mut pair.large;
        // SAFETY: the struct's field; the other lies eight bytes before.
        unsafe {
            *large ^= 1;
            (pair.large, *large.byte_sub(8).cast::<u8>())
        }
    }

    fn of_pointers(a: u32, b: u32, which: bool) -> (u32, u32) {
        let (mut a, mut b) = (a, b);
        let mut chosen = if which { &raw mut a } else { &raw mut b };
        let twice = &raw mut chosen;
        // SAFETY: locals.
        unsafe {
            **twice = 99;
            *twice = &raw mut b;
            *chosen ^= 1;
        }
        (a, b)
    }

    fn exposed(a: u32) -> (u32, bool) {
        let address = (&raw const a).expose_provenance();
        let pointer: *const u32 = ptr::with_exposed_provenance(address);
        // SAFETY: the local's address, exposed before.
        (unsafe { *pointer }, address % 4 == 0)
    }
}

traps! {}
