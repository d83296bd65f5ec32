//! Values whose size is known only at run time, and pointers that become pointers to them.

use std::{
    cell::{Cell, Ref, RefCell},
    mem::{ManuallyDrop, align_of_val, size_of_val},
    ops::Deref,
    pin::Pin,
    ptr::NonNull,
};

use meaning::{cases, traps};

trait Shape {
    fn area(&self) -> u64;

    fn doubled(&self) -> u64 {
        self.area().wrapping_mul(2)
    }
}

trait Named: Shape {
    fn name(&self) -> u8;
}

trait Colored {
    fn color(&self) -> u16;
}

trait Everything: Named + Colored {
    fn all(&self) -> u64 {
        self.area() ^ u64::from(self.name()) ^ u64::from(self.color())
    }
}

#[repr(align(32))]
struct Wide(u64);

struct Small(u8);

macro_rules! shapes {
    ($($kind:ident $name:literal $color:literal)*) => {$(
        impl Shape for $kind {
            #[inline(never)]
            fn area(&self) -> u64 {
                u64::from(self.0).wrapping_mul(3)
            }
        }
        impl Named for $kind {
            fn name(&self) -> u8 {
                $name
            }
        }
        impl Colored for $kind {
            fn color(&self) -> u16 {
                $color
            }
        }
        impl Everything for $kind {}
    )*};
}

shapes! { Wide b'w' 700 Small b's' 9 }

struct Tailed<T: ?Sized> {
    head: u8,
    tail: T,
}

struct Twice<T: ?Sized> {
    first: u16,
    inner: Tailed<T>,
}

#[repr(C, packed(2))]
struct Packed<T: ?Sized> {
    head: u8,
    tail: ManuallyDrop<T>,
}

#[inline(never)]
fn named(which: bool, wide: &Wide, small: &Small) -> u64 {
    let object: &dyn Everything = if which { wide } else { small };
    let named: &dyn Named = object;
    let colored: &dyn Colored = object;
    let shape: &dyn Shape = named;
    object.all() ^ u64::from(named.name()) << 8 ^ u64::from(colored.color()) << 16 ^ shape.doubled()
}

#[inline(never)]
fn sum(tailed: &Tailed<[u16]>) -> u32 {
    tailed.tail.iter().fold(u32::from(tailed.head), |sum, number| sum.wrapping_mul(31) + u32::from(*number))
}

#[inline(never)]
fn tail_area(tailed: &Tailed<dyn Shape>) -> (u64, u8) {
    (tailed.tail.area(), tailed.head)
}

#[inline(never)]
fn twice_area(twice: &Twice<dyn Shape>) -> (u64, u8, u16) {
    (twice.inner.tail.area(), twice.inner.head, twice.first)
}

cases! {
    fn upcasting(which: bool, a: u64, b: u8) -> u64 {
        named(which, &Wide(a), &Small(b))
    }

    fn slice_tails(head: u8, tail: [u16; 3]) -> (u32, usize, usize) {
        let tailed = Tailed { head, tail };
        let unsized_: &Tailed<[u16]> = &tailed;
        (sum(unsized_), size_of_val(unsized_), align_of_val(unsized_))
    }

    fn object_tails(head: u8, a: u64) -> ((u64, u8), (u64, u8), [usize; 4]) {
        let (wide, small) = (Tailed { head, tail: Wide(a) }, Tailed { head, tail: Small(head ^ 1) });
        let objects: [&Tailed<dyn Shape>; 2] = [&wide, &small];
        (
            tail_area(objects[0]), tail_area(objects[1]),
            [size_of_val(objects[0]), align_of_val(objects[0]), size_of_val(objects[1]), align_of_val(objects[1])],
        )
    }

    fn object_tails_twice(first: u16, head: u8, a: u64) -> ((u64, u8, u16), (u64, u8, u16), [usize; 4]) {
        let wide = Twice { first, inner: Tailed { head, tail: Wide(a) } };
        let small = Twice { first, inner: Tailed { head, tail: Small(head ^ 1) } };
        let objects: [&Twice<dyn Shape>; 2] = [&wide, &small];
        (
            twice_area(objects[0]), twice_area(objects[1]),
            [size_of_val(objects[0]), align_of_val(objects[0]), size_of_val(objects[1]), align_of_val(objects[1])],
        )
    }

    fn packed_tails(head: u8, tail: [u8; 5]) -> ([usize; 3], u8, [usize; 4]) {
        let packed = Packed { head, tail: ManuallyDrop::new(tail) };
        let unsized_: &Packed<[u8]> = &packed;
        let (wide, small) = (Packed { head, tail: ManuallyDrop::new(Wide(3)) }, Packed { head, tail: ManuallyDrop::new(Small(3)) });
        let objects: [&Packed<dyn Shape>; 2] = [&wide, &small];
        (
            [size_of_val(unsized_), align_of_val(unsized_), unsized_.tail.len()], unsized_.tail[4] ^ unsized_.head,
            [size_of_val(objects[0]), align_of_val(objects[0]), size_of_val(objects[1]), align_of_val(objects[1])],
        )
    }

    fn writes_through_tails(head: u8, tail: [u16; 3], index: u8) -> [u16; 3] {
        let mut tailed = Tailed { head, tail };
        let unsized_: &mut Tailed<[u16]> = &mut tailed;
        unsized_.tail[usize::from(index) % 3] = u16::from(unsized_.head);
        unsized_.tail.reverse();
        tailed.tail
    }

    fn sizes_of_slices(a: [u32; 4], count: usize) -> ([usize; 2], [usize; 2]) {
        let (slice, text) = (&a[..count % 5], &"größer"[..[0, 1, 2, 4][count % 4]]);
        ([size_of_val(slice), align_of_val(slice)], [size_of_val(text), align_of_val(text)])
    }

    fn pinned(a: u64, b: u8, which: bool) -> (u64, u64) {
        let (wide, small) = (Wide(a), Small(b));
        let (wide, small): (Pin<&Wide>, Pin<&Small>) = (Pin::new(&wide), Pin::new(&small));
        let objects: [Pin<&dyn Shape>; 2] = [wide, small];
        let numbers = [a, 7, 9];
        let array: Pin<&[u64; 3]> = Pin::new(&numbers);
        let slice: Pin<&[u64]> = array;
        (objects[usize::from(which)].area(), slice[usize::from(which)])
    }

    fn non_null_unsized(a: u64, index: usize) -> (u64, usize) {
        let mut array = [a, 5, 6];
        let pointer: NonNull<[u64]> = NonNull::from(&mut array);
        let object: NonNull<dyn Shape> = NonNull::from(&Wide(3));
        // SAFETY: the array is there, and the other is not read.
        (unsafe { pointer.as_ref() }[index % 3], size_of_val(&object))
    }

    fn cells_unsized(a: u32, index: usize) -> (u32, u32) {
        let cell = RefCell::new([a, 2, 3]);
        let borrowed: Ref<'_, [u32]> = cell.borrow();
        let shared: &Cell<[u32]> = &Cell::new([a, 1]);
        (borrowed.deref()[index % 3], shared.as_slice_of_cells()[index % 2].replace(9))
    }

    fn raw_upcasting(a: u64) -> u64 {
        let wide = Wide(a);
        let object: *const dyn Everything = &raw const wide;
        let shape: *const dyn Shape = object;
        // SAFETY: it is there.
        unsafe { (*shape).doubled() }
    }

    fn object_behind_references(a: u64, b: u8) -> u64 {
        let (wide, small) = (Wide(a), Small(b));
        let mut total = 0u64;
        for object in [&wide as &dyn Shape, &small, &wide] {
            total = total.wrapping_mul(7) ^ object.doubled();
        }
        total
    }

    fn called_through(a: i32, which: bool) -> (i32, i32) {
        let mut total = 0i32;
        let mut add = |number: i32| total = total.wrapping_add(number);
        let twice = |call: &mut dyn FnMut(i32)| {
            call(a);
            call(3);
        };
        twice(&mut add);
        let first = |number: i32| number ^ a;
        let second = |number: i32| number.wrapping_sub(a);
        let call: &dyn Fn(i32) -> i32 = if which { &first } else { &second };
        (total, call(10))
    }
}

traps! {
    fn past_a_tail(tail: [u16; 2], index: usize) -> u16 {
        let tailed: &Tailed<[u16]> = &Tailed { head: 0, tail };
        tailed.tail[index]
    } [([1, 2], 1), ([1, 2], 2)]
}
