//! Functions of `core::mem` and `core::ptr`, transmutations, and pointers of every kind.

use std::{
    alloc::Layout,
    mem::{self, align_of, discriminant, forget, needs_drop, offset_of, replace, size_of, swap, take, transmute, transmute_copy},
    num::NonZero,
    ptr::{self, NonNull},
};

use meaning::{cases, traps};

cases! {
    fn swapped_and_taken(a: [u32; 3], b: (u8, u64)) -> ([u32; 3], (u8, u64), [u32; 3], u64) {
        let (mut first, mut second, mut pair) = (a, [7, 8, 9], b);
        swap(&mut first, &mut second);
        swap(&mut first[0], &mut second[2]);
        let old = replace(&mut pair, (1, 2));
        (take(&mut first), old, second, replace(&mut pair.1, 5) + take(&mut pair.0) as u64)
    }

    fn swapped_elements(values: [u64; 4], i: usize, j: usize) -> [u64; 4] {
        let mut values = values;
        let at = values.as_mut_ptr();
        // SAFETY: in bounds, equal or apart.
        unsafe {
            ptr::swap(at.add(i % 4), at.add(j % 4));
            ptr::swap_nonoverlapping(at, at.add(2), 2);
        }
        values
    }

    fn swapped_overlapping(values: [u8; 8], at: usize) -> [u8; 8] {
        let mut values = values;
        let start = values.as_mut_ptr();
        // SAFETY: in bounds; `swap` allows overlap.
        unsafe { ptr::swap(start.cast::<[u8; 4]>(), start.add(at % 5).cast::<[u8; 4]>()) };
        values
    }

    fn replaced_through_pointers(a: u64, b: u64) -> (u64, u64, u64) {
        let mut value = a;
        let at = &raw mut value;
        // SAFETY: the local's address.
        unsafe {
            let first = at.replace(b);
            let second = ptr::replace(at, first ^ 1);
            (first, second, at.read())
        }
    }

    fn read_and_written_structs(a: u8, b: u64) -> (u8, u64, u8) {
        #[derive(Clone, Copy)]
        struct Pair {
            small: u8,
            large: u64,
        }
        let mut slots = [Pair { small: a, large: b }, Pair { small: 1, large: 2 }];
        let at = slots.as_mut_ptr();
        // SAFETY: in bounds.
        unsafe {
            let first = at.read();
            at.add(1).write(Pair { large: first.large ^ 3, ..first });
            ptr::copy_nonoverlapping(at.add(1), at, 1);
            (slots[0].small, slots[0].large, (*at.add(1)).small)
        }
    }

    fn unaligned_words(bytes: [u8; 16], at: usize) -> (u64, u128, f32, [u8; 16]) {
        let mut bytes = bytes;
        let at = at % 9;
        // SAFETY: in bounds.
        unsafe {
            let here = bytes.as_mut_ptr().add(at);
            let found = (here.cast::<u64>().read_unaligned(), bytes.as_ptr().cast::<u128>().read_unaligned(), 0.5);
            here.cast::<(u16, u16)>().write_unaligned((0x1234, 0x5678));
            (found.0, found.1, found.2, bytes)
        }
    }

    fn volatile_numbers(a: u64, b: i8, c: char) -> (u64, i8, char, [u8; 4]) {
        let (mut word, mut byte, mut letter, mut array) = (0, 0, 'x', [0; 4]);
        // SAFETY: locals.
        unsafe {
            (&raw mut word).write_volatile(a);
            (&raw mut byte).write_volatile(b);
            (&raw mut letter).write_volatile(c);
            (&raw mut array[1]).write_volatile(9);
            ((&raw const word).read_volatile(), ptr::read_volatile(&byte), (&raw const letter).read_volatile(), array)
        }
    }

    fn volatile_aggregates(a: [u32; 3], b: (u8, u64)) -> ([u32; 3], (u8, u64), u64) {
        let (mut array, mut pair) = ([0; 3], (0, 0));
        // SAFETY: locals.
        unsafe {
            (&raw mut array).write_volatile(a);
            (&raw mut pair).write_volatile(b);
            ((&raw const array).read_volatile(), ptr::read_volatile(&pair), (&raw const pair.1).read_volatile())
        }
    }

    fn volatile_fat(values: [u16; 3], length: usize) -> (usize, u16) {
        let (slice, mut slot): (&[u16], &[u16]) = (&values[..length % 4], &[]);
        // SAFETY: locals.
        let found = unsafe {
            (&raw mut slot).write_volatile(slice);
            (&raw const slot).read_volatile()
        };
        (found.len(), found.first().copied().unwrap_or(5))
    }

    fn set_and_copied_bytes(a: u8, count: usize) -> ([u32; 4], [u16; 5]) {
        let (mut words, mut moved) = ([7u32; 4], [1u16, 2, 3, 4, 5]);
        // SAFETY: in bounds.
        unsafe {
            ptr::write_bytes(words.as_mut_ptr(), a, count % 5);
            ptr::copy(moved.as_ptr(), moved.as_mut_ptr().add(1), count % 5);
        }
        (words, moved)
    }

    fn pointer_arithmetic(values: [u16; 6], i: usize, j: usize) -> (isize, usize, [bool; 4], u16) {
        let (first, second) = (&raw const values[i % 6], &raw const values[j % 6]);
        // SAFETY: of one array.
        unsafe {
            (
                second.offset_from(first), second.addr().abs_diff(first.addr()),
                [first == second, first < second, first <= second, ptr::eq(first, second)],
                *first.offset((j % 6) as isize - (i % 6) as isize),
            )
        }
    }

    fn pointer_arithmetic_in_bytes(values: [u32; 4], i: usize) -> (u32, isize, u8) {
        let start = values.as_ptr();
        // SAFETY: in bounds.
        unsafe {
            let here = start.byte_add(4 * (i % 4));
            (here.read(), here.byte_offset_from(start), here.cast::<u8>().wrapping_byte_add(1).read())
        }
    }

    fn pointers_beyond(values: [u32; 3], by: usize) -> (u32, bool) {
        let start = values.as_ptr();
        let far = start.wrapping_add(by).wrapping_offset(5).wrapping_byte_sub(20);
        // SAFETY: back where it began.
        (unsafe { far.wrapping_sub(by).read() }, far.wrapping_sub(by) == start)
    }

    fn null_pointers(a: u32, take: bool) -> (Option<u32>, bool, bool, Option<usize>) {
        let mut value = a;
        let pointer = if take { &raw mut value } else { ptr::null_mut() };
        // SAFETY: null or the local's address.
        unsafe {
            if let Some(value) = pointer.as_mut() {
                *value ^= 1;
            }
            (pointer.as_ref().copied(), pointer.is_null(), ptr::null::<u8>().is_null(), NonNull::new(pointer).map(|p| p.addr().get() % 4))
        }
    }

    fn non_null_functions(values: [u32; 4], i: usize) -> (u32, bool, u32, usize) {
        let mut values = values;
        let start = NonNull::from(&mut values).cast::<u32>();
        // SAFETY: in bounds.
        unsafe {
            let here = start.add(i % 4);
            here.write(here.read() ^ 1);
            let part = NonNull::slice_from_raw_parts(start, 2);
            (here.read(), NonNull::<u64>::dangling().is_aligned(), *part.as_ref().last().unwrap_or(&3), here.offset_from_unsigned(start))
        }
    }

    fn fat_pointers(values: [u16; 5], length: usize) -> (usize, bool, [bool; 3], u16) {
        let whole: *const [u16] = &values;
        let part = ptr::slice_from_raw_parts(values.as_ptr(), length % 6);
        // SAFETY: within the array.
        let last = unsafe { (*part).last().copied() };
        let same = [ptr::eq(part, whole), part.cast::<u16>() == whole.cast(), ptr::addr_eq(part, whole)];
        (part.len(), part.is_null(), same, last.unwrap_or(9))
    }

    fn fat_pointers_cast(values: [u16; 4]) -> (usize, u8, usize) {
        let words: *const [u16] = &values;
        let bytes = words as *const [u8];
        // SAFETY: as many bytes as there are words, or fewer.
        (bytes.len(), unsafe { (&*bytes)[1] }, ptr::slice_from_raw_parts(words.cast::<[u16; 2]>(), 2).len())
    }

    fn sizes_and_alignments(a: u8) -> ([usize; 6], [bool; 3]) {
        #[allow(dead_code)]
        struct Mixed(u8, u64, u16);
        struct Loud;
        impl Drop for Loud {
            fn drop(&mut self) {}
        }
        let layout = Layout::new::<Mixed>();
        (
            [
                size_of::<Mixed>(), align_of::<Mixed>(), layout.size() + layout.align(), offset_of!(Mixed, 1), mem::size_of_val(&[a; 3]),
                size_of::<Option<Loud>>(),
            ],
            [needs_drop::<Loud>(), needs_drop::<Mixed>(), needs_drop::<[Loud; 2]>()],
        )
    }

    fn transmuted_arrays(a: [u8; 8], b: [u16; 2]) -> (u64, [u32; 2], i32, [u8; 4]) {
        // SAFETY: all bits are numbers.
        unsafe {
            let words = transmute::<[u8; 8], [u16; 4]>(a);
            (words[1] as u64, transmute::<[u8; 8], [u32; 2]>(a), transmute::<[u16; 2], i32>(b), transmute::<[u16; 2], [u8; 4]>(b))
        }
    }

    fn transmuted_structs(a: u64, b: u32) -> ((u32, u32), [u16; 4], u32) {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Halves {
            low: u32,
            high: u32,
        }
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct Id(NonZero<u32>);
        // SAFETY: all bits are numbers; the last is not zero.
        unsafe {
            let halves = transmute::<u64, Halves>(a);
            ((halves.low, halves.high), transmute::<Halves, [u16; 4]>(halves), transmute::<u32, Id>(b | 1).0.get())
        }
    }

    fn transmuted_references(a: u32, b: [u8; 4]) -> ([u8; 4], u32, usize) {
        // SAFETY: same size; bytes may lie anywhere.
        unsafe {
            let bytes: &[u8; 4] = transmute(&a);
            let options: [Option<&u32>; 2] = [Some(&a), None];
            let addresses: [usize; 2] = transmute(options);
            (*bytes, transmute_copy(&b), addresses[1] + (addresses[0] == (&raw const a).addr()) as usize)
        }
    }

    fn transmuted_functions(a: u32) -> (u32, bool) {
        fn add(a: u32) -> u32 {
            a.wrapping_add(3)
        }
        let pointer: fn(u32) -> u32 = add;
        let address = pointer as usize;
        // SAFETY: the address of that function.
        let function = unsafe { transmute::<usize, fn(u32) -> u32>(address) };
        (function(a), pointer as *const () == address as *const ())
    }

    fn booleans_and_niches_transmuted(a: u8, b: bool) -> (Option<bool>, [u8; 2], bool) {
        // SAFETY: 0, 1 and 2 are what an optional truth value consists of.
        unsafe { (transmute::<u8, Option<bool>>(a % 3), transmute::<(bool, bool), [u8; 2]>((b, !b)), transmute::<u8, bool>(b as u8)) }
    }

    fn forgotten_values(a: u32) -> (u32, bool) {
        struct Loud<'a>(&'a std::cell::Cell<u32>);
        impl Drop for Loud<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() ^ 0xff);
            }
        }
        let log = std::cell::Cell::new(a);
        forget(Loud(&log));
        let _ = mem::ManuallyDrop::new(Loud(&log));
        drop([Loud(&log)]);
        (log.get(), discriminant(&Some(1)) == discriminant(&Some(a)))
    }

    fn zero_sized_pointers(a: u8) -> (usize, bool, ()) {
        let units = [(); 4];
        let here = units.as_ptr();
        // SAFETY: nothing is read.
        unsafe { (units[a as usize % 5..].len(), here.add(3) == here, here.read()) }
    }

    fn all_zero(a: bool) -> (u64, [u16; 3], bool, bool) {
        // SAFETY: all zero is a value of each.
        unsafe { (mem::zeroed(), mem::zeroed(), mem::zeroed::<Option<&u8>>().is_none(), mem::zeroed::<bool>() == a) }
    }

    fn linked_list(values: [u32; 4], at: usize) -> (u32, usize) {
        #[derive(Clone, Copy)]
        struct Node {
            value: u32,
            next: Option<NonNull<Node>>,
        }
        let mut nodes = values.map(|value| Node { value, next: None });
        let start = nodes.as_mut_ptr();
        for i in 0..at % 4 {
            // SAFETY: in bounds.
            unsafe { (*start.add(i)).next = NonNull::new(start.add(i + 1)) };
        }
        let (mut here, mut sum, mut length) = (NonNull::new(start), 0u32, 0);
        while let Some(node) = here {
            // SAFETY: of the array.
            let node = unsafe { node.as_ref() };
            (sum, length, here) = (sum.rotate_left(3) ^ node.value, length + 1, node.next);
        }
        (sum, length)
    }
}

traps! {
    fn empty_layout(align: usize) -> usize { Layout::from_size_align(8, align).unwrap().size() } [(8,), (3,)]
}
