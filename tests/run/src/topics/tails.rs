//! Types of a size known at run time only: structs that end in a slice, a text or a trait object, and pointers to them.

use std::{
    mem::{align_of_val, size_of_val},
    ptr,
};

use meaning::{cases, traps};

struct Tail<T: ?Sized> {
    head: u8,
    tail: T,
}

#[repr(C)]
struct Framed<T: ?Sized> {
    first: u16,
    second: u64,
    rest: T,
}

#[repr(C, align(16))]
struct Wide<T: ?Sized>(u8, T);

#[repr(transparent)]
struct Bytes([u8]);

impl Bytes {
    fn of(bytes: &[u8]) -> &Self {
        // SAFETY: the same layout.
        unsafe { &*(ptr::from_ref(bytes) as *const Self) }
    }
}

trait Measure {
    fn measure(&self) -> u64;
}

impl Measure for u8 {
    fn measure(&self) -> u64 {
        *self as u64
    }
}

impl Measure for u64 {
    fn measure(&self) -> u64 {
        self.wrapping_mul(3)
    }
}

impl Measure for [u16; 3] {
    fn measure(&self) -> u64 {
        self.iter().map(|&one| one as u64).sum()
    }
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Far(u32);

impl Measure for Far {
    fn measure(&self) -> u64 {
        self.0 as u64 + ptr::from_ref(self).addr() as u64 % 32
    }
}

cases! {
    fn slice_tail_sizes(length: u8) -> ([usize; 4], [usize; 2]) {
        let (small, odd) = (Tail { head: 1, tail: [1u32; 3] }, Tail { head: length, tail: [2u8; 6] });
        let none = Tail { head: 0, tail: [0u64; 0] };
        let framed = Framed { first: 0, second: 0, rest: [1u8; 3] };
        let (small, odd, none, framed): (&Tail<[u32]>, &Tail<[u8]>, &Tail<[u64]>, &Framed<[u8]>) = (&small, &odd, &none, &framed);
        ([size_of_val(small), size_of_val(odd), size_of_val(none), size_of_val(framed)], [align_of_val(none), align_of_val(framed)])
    }

    fn slice_tail_of_structs(values: [(u8, u32); 3], i: usize) -> (u8, u32, usize) {
        let framed: &Framed<[(u8, u32)]> = &Framed { first: 7, second: 8, rest: values };
        let (small, large) = framed.rest[i % 3];
        (small, large ^ framed.first as u32 ^ framed.second as u32, framed.rest.len())
    }

    fn nested_tails(a: u8, values: [u32; 3]) -> (u32, u8, usize, usize) {
        let inner: &Tail<Tail<[u32]>> = &Tail { head: a, tail: Tail { head: 3, tail: values } };
        (inner.tail.tail[2], inner.head ^ inner.tail.head, size_of_val(inner), size_of_val(&inner.tail))
    }

    fn nested_object_tails(a: u8, number: u32) -> (u64, usize, usize) {
        let inner: &Tail<Tail<dyn Measure>> = &Tail { head: a, tail: Tail { head: 3, tail: Far(number) } };
        (inner.tail.tail.measure(), size_of_val(inner), size_of_val(&inner.tail))
    }

    fn aligned_tails(a: u8, number: u64) -> (u64, [usize; 4]) {
        let small: &Wide<dyn Measure> = &Wide(a, a);
        let far: &Wide<dyn Measure> = &Wide(a, Far(number as u32));
        (
            small.1.measure() + far.1.measure() + small.0 as u64,
            [size_of_val(small), align_of_val(small), size_of_val(far), align_of_val(far)],
        )
    }

    fn declared_object_tail(number: u64, first: u16) -> (u64, u16, usize) {
        let framed: &Framed<dyn Measure> = &Framed { first, second: 5, rest: number as u8 };
        (framed.rest.measure() + framed.second, framed.first, size_of_val(framed))
    }

    fn address_of_the_tail(number: u32) -> (usize, usize, usize) {
        let far = Tail { head: 1, tail: Far(number) };
        let near = Tail { head: 1, tail: [1u16, 2, 3] };
        let (far_object, near_object): (&Tail<dyn Measure>, &Tail<dyn Measure>) = (&far, &near);
        (
            ptr::from_ref(&far_object.tail).addr() - ptr::from_ref(&far.tail).addr(),
            ptr::from_ref(&near_object.tail).addr() - ptr::from_ref(&near.tail).addr(),
            ptr::from_ref(far_object).addr() - ptr::from_ref(&far).addr(),
        )
    }

    fn transparent_slices(values: [u8; 6], cut: usize) -> (usize, u8, usize) {
        let bytes = Bytes::of(&values[cut % 6..]);
        (bytes.0.len(), bytes.0[0], size_of_val(bytes))
    }

    fn raw_pointer_to_a_tail(values: [u16; 4], length: usize) -> (usize, u32, u64) {
        let sized = Framed { first: 9, second: 3, rest: values };
        // A slice has the same metadata as the struct that ends in one.
        let dynamic = ptr::slice_from_raw_parts((&raw const sized).cast::<u16>(), length % 5) as *const Framed<[u16]>;
        // SAFETY: not longer than the struct's own array.
        let dynamic = unsafe { &*dynamic };
        (dynamic.rest.len(), dynamic.rest.iter().map(|&one| one as u32).sum(), dynamic.second)
    }

    fn dropped_tails(number: u64) -> u64 {
        use std::{cell::Cell, mem::ManuallyDrop};
        struct Noisy<'a>(&'a Cell<u64>, u64);
        impl Drop for Noisy<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get().wrapping_mul(7).wrapping_add(self.1));
            }
        }
        let log = Cell::new(number);
        let mut kept = ManuallyDrop::new(Tail { head: 1, tail: [Noisy(&log, 1), Noisy(&log, 2)] });
        let dynamic: &mut Tail<[Noisy<'_>]> = &mut *kept;
        // SAFETY: dropped once.
        unsafe { ptr::drop_in_place(dynamic) };
        log.get()
    }

    fn dropped_object_tails(number: u64) -> u64 {
        use std::{cell::Cell, mem::ManuallyDrop};
        trait Thing {}
        #[repr(align(16))]
        struct Noisy<'a>(&'a Cell<u64>, u64);
        impl Thing for Noisy<'_> {}
        impl Thing for u16 {}
        impl Drop for Noisy<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get().wrapping_mul(7).wrapping_add(self.1));
            }
        }
        let log = Cell::new(number);
        let mut noisy = ManuallyDrop::new(Tail { head: 1, tail: Noisy(&log, 5) });
        let mut quiet = ManuallyDrop::new(Tail { head: 2, tail: 3u16 });
        let (first, second): (&mut Tail<dyn Thing + '_>, &mut Tail<dyn Thing + '_>) = (&mut *noisy, &mut *quiet);
        // SAFETY: each dropped once.
        unsafe {
            ptr::drop_in_place(first);
            ptr::drop_in_place(second);
        }
        log.get()
    }

    fn tuples_in_tails(values: [(u8, u64); 2], i: usize) -> (u8, u64, usize) {
        let dynamic: &Tail<[(u8, u64)]> = &Tail { head: 4, tail: values };
        match &dynamic.tail {
            [first, .., last] => (first.0 ^ dynamic.head, last.1, size_of_val(dynamic)),
            other => (0, other[i].1, 0),
        }
    }

    fn text_tails(a: u8) -> (usize, usize, bool) {
        #[repr(transparent)]
        struct Name(str);
        let text = ["", "a", "größer"][a as usize % 3];
        // SAFETY: the same layout.
        let name = unsafe { &*(ptr::from_ref(text) as *const Name) };
        (name.0.len(), size_of_val(name), name.0.ends_with('r'))
    }
}

traps! {
    fn past_the_tail(i: usize) -> u16 {
        let dynamic: &Tail<[u16]> = &Tail { head: 1, tail: [1, 2, 3] };
        dynamic.tail[i]
    } [(2,), (3,)]
}
