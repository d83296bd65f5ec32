//! Interior mutability, and memory that is not a value yet or no more: cells, `MaybeUninit`, `ManuallyDrop`.

use std::{
    cell::{Cell, OnceCell, RefCell, UnsafeCell},
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit, size_of},
};

use meaning::{cases, traps};

#[inline(never)]
fn bump(cell: &Cell<u32>, by: u32) -> u32 {
    cell.set(cell.get().wrapping_add(by));
    cell.get()
}

#[derive(Clone, Copy)]
struct Tagged<T> {
    raw: u32,
    tag: PhantomData<T>,
}

impl<T> Tagged<T> {
    fn new(raw: u32) -> Self {
        Self { raw, tag: PhantomData }
    }
}

cases! {
    fn cell_shared(a: u32, b: u32) -> (u32, u32, u32) {
        let cell = Cell::new(a);
        let (first, second) = (&cell, &cell);
        let found = bump(first, b);
        (found, bump(second, 1), cell.into_inner())
    }

    fn cell_functions(a: u32, b: u32) -> (u32, u32, u32, u32) {
        let (left, right) = (Cell::new(a), Cell::new(b));
        let before = left.replace(7);
        left.swap(&right);
        let taken = right.take();
        (before, left.get(), taken, right.get())
    }

    fn cell_update(a: u8) -> (u8, u8) {
        let mut cell = Cell::new(a);
        cell.update(|value| value.wrapping_mul(3));
        *cell.get_mut() ^= 1;
        (cell.get(), cell.clone().into_inner())
    }

    fn cell_of_arrays(values: [u16; 4], at: usize) -> [u16; 4] {
        let cell = Cell::new(values);
        let cells: &Cell<[u16]> = &cell;
        let slots = cells.as_slice_of_cells();
        slots[at % 4].swap(&slots[3]);
        slots[0].set(slots[1].get() ^ 1);
        cell.get()
    }

    fn cell_of_options(a: u32) -> (Option<u32>, Option<u32>) {
        let cell = Cell::new(a.checked_sub(3));
        let taken = cell.take();
        cell.set(taken.map(|value| value ^ 1));
        (taken, cell.get())
    }

    fn ref_cell(a: u32, b: u32) -> (u32, u32, bool, bool) {
        let cell = RefCell::new(a);
        *cell.borrow_mut() ^= b;
        let shared = cell.borrow();
        let (fails, works) = (cell.try_borrow_mut().is_err(), cell.try_borrow().is_ok());
        let found = *shared;
        drop(shared);
        (found, cell.replace(9), fails, works)
    }

    fn ref_cell_maps(pair: (u8, u32), by: u32) -> (u8, u32) {
        let cell = RefCell::new(pair);
        {
            let mut large = std::cell::RefMut::map(cell.borrow_mut(), |pair| &mut pair.1);
            *large = large.wrapping_add(by);
        }
        let small = std::cell::Ref::map(cell.borrow(), |pair| &pair.0);
        (*small, cell.borrow().1)
    }

    fn ref_cell_of_slices(values: [u8; 4], at: usize) -> ([u8; 4], u8) {
        let cell = RefCell::new(values);
        cell.borrow_mut()[at % 4] = 100;
        cell.borrow_mut().reverse();
        let last = cell.borrow().iter().copied().max().unwrap_or(0);
        (cell.into_inner(), last)
    }

    fn once_cell(a: u32, set: bool) -> (u32, u32, Result<(), u32>, Option<u32>) {
        let mut cell = OnceCell::new();
        let before = cell.get().copied();
        if set {
            let _ = cell.set(5);
        }
        let first = *cell.get_or_init(|| a);
        let again = cell.set(6);
        if let Some(value) = cell.get_mut() {
            *value ^= 1;
        }
        (first, *cell.get_or_init(|| 8), again, before)
    }

    fn unsafe_cell(a: u64) -> (u64, u64) {
        let mut cell = UnsafeCell::new(a);
        let shared = &cell;
        // SAFETY: no reference is alive.
        unsafe { *shared.get() ^= 0xff };
        *cell.get_mut() = cell.get_mut().rotate_left(1);
        (cell.into_inner(), size_of::<UnsafeCell<u64>>() as u64)
    }

    fn niches_are_hidden_in_cells(a: bool) -> ([usize; 4], bool) {
        let cell = Some(Cell::new(a));
        (
            [
                size_of::<Option<Cell<bool>>>(), size_of::<Option<UnsafeCell<&u8>>>(), size_of::<Option<MaybeUninit<bool>>>(),
                size_of::<Option<ManuallyDrop<bool>>>(),
            ],
            cell.is_some_and(|cell| !cell.get()),
        )
    }

    fn maybe_uninit(a: u32, write: bool) -> (u32, u32) {
        let mut memory = MaybeUninit::<u32>::uninit();
        if write {
            memory.write(a);
        } else {
            // SAFETY: memory for a number.
            unsafe { memory.as_mut_ptr().write(7) };
        }
        // SAFETY: written on both ways.
        unsafe { (memory.assume_init(), *memory.assume_init_ref()) }
    }

    fn maybe_uninit_array(a: [u16; 4], count: usize) -> (u32, usize) {
        let mut memory = [const { MaybeUninit::<u16>::uninit() }; 4];
        let count = count % 5;
        for (slot, value) in memory.iter_mut().zip(a).take(count) {
            slot.write(value);
        }
        // SAFETY: the first `count` are written.
        let written = memory[..count].iter().map(|slot| unsafe { slot.assume_init() } as u32);
        (written.sum(), size_of_val(&memory))
    }

    fn maybe_uninit_whole_array(a: u32) -> [u32; 5] {
        let mut memory = MaybeUninit::<[u32; 5]>::uninit();
        let first = memory.as_mut_ptr().cast::<u32>();
        for i in 0..5 {
            // SAFETY: in bounds.
            unsafe { first.add(i).write(a.rotate_left(i as u32)) };
        }
        // SAFETY: all five are written.
        unsafe { memory.assume_init() }
    }

    fn maybe_uninit_struct(a: u8, b: u64) -> (u8, u64) {
        struct Pair {
            small: u8,
            large: u64,
        }
        let mut memory = MaybeUninit::<Pair>::uninit();
        let at = memory.as_mut_ptr();
        // SAFETY: both fields are written before they are read.
        unsafe {
            (&raw mut (*at).small).write(a);
            (&raw mut (*at).large).write(b);
            let pair = memory.assume_init();
            (pair.small, pair.large)
        }
    }

    fn zeroed(a: bool) -> (u64, [u16; 3], Option<u32>, bool) {
        #[derive(Clone, Copy)]
        struct Plain {
            a: u64,
            b: [u16; 3],
            c: bool,
        }
        // SAFETY: all zero is a value of each.
        let (plain, none) = unsafe {
            (MaybeUninit::<Plain>::zeroed().assume_init(), MaybeUninit::<Option<std::num::NonZeroU32>>::zeroed().assume_init())
        };
        (plain.a, plain.b, none.map(std::num::NonZeroU32::get), plain.c == a)
    }

    fn manually_drop(a: u32) -> (u32, u32, usize) {
        let mut kept = ManuallyDrop::new([a, 1]);
        kept[1] = 8;
        // SAFETY: not used again.
        let taken = unsafe { ManuallyDrop::take(&mut kept) };
        (taken[0], ManuallyDrop::into_inner(kept)[1], size_of::<ManuallyDrop<[u32; 2]>>())
    }

    fn phantom(a: u32) -> (u32, usize, usize) {
        let (first, second) = (Tagged::<u64>::new(a), Tagged::<[u8; 100]>::new(3));
        let (PhantomData, PhantomData) = (first.tag, second.tag);
        (first.raw ^ second.raw, size_of::<Tagged<u128>>(), size_of::<PhantomData<u64>>())
    }

    fn cells_in_constants(a: u32) -> (u32, u32) {
        #[allow(clippy::declare_interior_mutable_const)]
        const START: Cell<u32> = Cell::new(5);
        let (first, second) = (START, START);
        (bump(&first, a), second.get())
    }

    fn arena(values: [u8; 6]) -> (u32, usize) {
        struct Arena<'a> {
            memory: &'a [Cell<u8>],
            used: Cell<usize>,
        }
        impl<'a> Arena<'a> {
            fn take(&self, count: usize) -> Option<&'a [Cell<u8>]> {
                let start = self.used.get();
                let part = self.memory.get(start..start.checked_add(count)?)?;
                self.used.set(start + count);
                Some(part)
            }
        }
        let mut values = values;
        let arena = Arena { memory: Cell::from_mut(&mut values[..]).as_slice_of_cells(), used: Cell::new(0) };
        if let (Some(first), Some(second)) = (arena.take(2), arena.take(3)) {
            first[0].swap(&second[2]);
        }
        let used = if arena.take(2).is_none() { arena.used.get() } else { 99 };
        (values.iter().fold(0, |sum, &value| sum * 3 + value as u32), used)
    }
}

traps! {
    fn borrowed_twice(a: bool) -> u32 {
        let cell = RefCell::new(5);
        let first = if a { Some(cell.borrow_mut()) } else { None };
        let found = *cell.borrow();
        drop(first);
        found
    } [(false,), (true,)]

    fn borrowed_mutably_while_shared(a: bool) -> u32 {
        let cell = RefCell::new(5);
        let shared = a.then(|| cell.borrow());
        *cell.borrow_mut() += 1;
        drop(shared);
        cell.into_inner()
    } [(false,), (true,)]

    fn swapped_while_borrowed(a: bool) -> u32 {
        let (cell, other) = (RefCell::new(5), RefCell::new(6));
        let shared = a.then(|| other.borrow());
        cell.swap(&other);
        drop(shared);
        cell.into_inner()
    } [(false,), (true,)]
}
