//! Trait objects: supertraits and their upcasts, defaults, generic callers, objects of closures, in structs and tables.

use std::{cell::Cell, mem::size_of_val, ops::AddAssign};

use meaning::{cases, traps};

trait Named {
    fn name(&self) -> u32;

    fn longer(&self) -> u32 {
        self.name() * 10
    }
}

trait Sized8 {
    const SIZE: usize = 8;

    fn size(&self) -> usize;
}

trait Counted: Named {
    fn count(&self) -> u64;

    fn add(&mut self, by: u64);

    fn both(&self) -> u64 {
        self.count().wrapping_add(self.name() as u64)
    }
}

trait Colored {
    fn color(&self) -> u8;
}

trait Everything: Counted + Colored {
    fn all(&self) -> u64 {
        self.both() ^ self.color() as u64
    }
}

struct Counter {
    color: u8,
    count: u64,
}

struct Fixed;

impl Named for Counter {
    fn name(&self) -> u32 {
        self.color as u32 + 1
    }
}

impl Counted for Counter {
    fn count(&self) -> u64 {
        self.count
    }

    fn add(&mut self, by: u64) {
        self.count = self.count.wrapping_add(by);
    }
}

impl Colored for Counter {
    fn color(&self) -> u8 {
        self.color ^ 0x55
    }
}

impl Everything for Counter {}

impl Named for Fixed {
    fn name(&self) -> u32 {
        77
    }

    fn longer(&self) -> u32 {
        5
    }
}

impl Counted for Fixed {
    fn count(&self) -> u64 {
        1 << 40
    }

    fn add(&mut self, _: u64) {}
}

impl Colored for Fixed {
    fn color(&self) -> u8 {
        3
    }
}

impl Everything for Fixed {
    fn all(&self) -> u64 {
        9
    }
}

impl<T: Named + ?Sized> Named for &T {
    fn name(&self) -> u32 {
        (**self).name() ^ 1
    }
}

impl Sized8 for Fixed {
    fn size(&self) -> usize {
        Self::SIZE
    }
}

#[inline(never)]
fn named(of: &dyn Named) -> (u32, u32) {
    (of.name(), of.longer())
}

#[inline(never)]
fn colored(of: &dyn Colored) -> u8 {
    of.color()
}

#[inline(never)]
fn chosen<'a>(which: bool, first: &'a dyn Everything, second: &'a dyn Everything) -> &'a dyn Everything {
    if which { first } else { second }
}

fn generic<T: Counted + ?Sized>(of: &mut T, by: u64) -> u64 {
    of.add(by);
    of.both()
}

cases! {
    fn supertrait_methods(which: bool, color: u8, count: u64) -> (u32, u32, u64, u8, u64) {
        let counter = Counter { color, count };
        let object = chosen(which, &counter, &Fixed);
        (object.name(), object.longer(), object.both(), object.color(), object.all())
    }

    fn upcast_first(which: bool, color: u8) -> (u32, u32) {
        let counter = Counter { color, count: 1 };
        let object: &dyn Counted = if which { &counter } else { &Fixed };
        named(object)
    }

    fn upcast_second(which: bool, color: u8) -> u8 {
        let counter = Counter { color, count: 1 };
        colored(chosen(which, &counter, &Fixed))
    }

    fn upcast_twice(which: bool, color: u8) -> (u32, u64) {
        let counter = Counter { color, count: 1 };
        let middle: &dyn Counted = chosen(which, &counter, &Fixed);
        let first: &dyn Named = middle;
        (first.longer(), middle.count())
    }

    fn upcast_mutable(color: u8, by: u64) -> (u64, u64) {
        let mut counter = Counter { color, count: 5 };
        let object: &mut dyn Everything = &mut counter;
        let middle: &mut dyn Counted = object;
        middle.add(by);
        (middle.both(), counter.count)
    }

    fn auto_traits_dropped(color: u8) -> (u32, u32) {
        let counter = Counter { color, count: 1 };
        let object: &(dyn Named + Send + Sync) = &counter;
        named(object)
    }

    fn generic_over_objects(which: bool, color: u8, by: u64) -> (u64, u64) {
        let (mut counter, mut fixed) = (Counter { color, count: 5 }, Fixed);
        let object: &mut dyn Counted = if which { &mut counter } else { &mut fixed };
        let found = generic(object, by);
        (found, generic(&mut counter, 1))
    }

    fn objects_of_references(color: u8) -> (u32, usize) {
        let counter = Counter { color, count: 1 };
        let inner: &dyn Named = &counter;
        let outer: &dyn Named = &inner;
        (outer.name(), size_of_val(outer))
    }

    fn generic_methods_of_objects(color: u8, a: u32) -> u32 {
        trait Visitor {
            fn visit(&mut self, number: u32);
        }
        trait Tree {
            fn walk(&self, visitor: &mut dyn Visitor);
        }
        struct Sum(u32);
        impl Visitor for Sum {
            fn visit(&mut self, number: u32) {
                self.0 = self.0.wrapping_mul(3).wrapping_add(number);
            }
        }
        impl Tree for [u32; 3] {
            fn walk(&self, visitor: &mut dyn Visitor) {
                self.iter().for_each(|&number| visitor.visit(number));
            }
        }
        let mut sum = Sum(color as u32);
        let tree: &dyn Tree = &[a, 2, 3];
        tree.walk(&mut sum);
        sum.0
    }

    fn generic_traits(a: u32, b: u8) -> (u64, u64) {
        trait Convert<T> {
            fn convert(&self, value: T) -> u64;
        }
        struct By(u64);
        impl Convert<u32> for By {
            fn convert(&self, value: u32) -> u64 {
                value as u64 ^ self.0
            }
        }
        impl Convert<u8> for By {
            fn convert(&self, value: u8) -> u64 {
                value as u64 + self.0
            }
        }
        let by = By(100);
        let (wide, narrow): (&dyn Convert<u32>, &dyn Convert<u8>) = (&by, &by);
        (wide.convert(a), narrow.convert(b))
    }

    fn associated_types_in_objects(a: [u8; 4]) -> (u32, Option<u8>) {
        let mut iterator = a.into_iter().map(|value| value ^ 1);
        let object: &mut dyn Iterator<Item = u8> = &mut iterator;
        let first = object.next();
        (object.map(u32::from).sum(), first)
    }

    fn double_ended_objects(a: [u8; 5]) -> (Option<u8>, Option<u8>, usize) {
        let mut iterator = a.iter().copied();
        let object: &mut dyn DoubleEndedIterator<Item = u8> = &mut iterator;
        (object.next_back(), object.next(), object.size_hint().0)
    }

    fn objects_in_structs(color: u8, a: u64) -> (u64, u32) {
        struct Holder<'a> {
            before: u8,
            object: &'a mut dyn Counted,
            other: Option<&'a dyn Named>,
        }
        let (mut counter, fixed) = (Counter { color, count: a }, Fixed);
        let holder = Holder { before: 2, object: &mut counter, other: (a > 50).then_some(&fixed) };
        holder.object.add(holder.before as u64);
        (holder.object.count(), holder.other.map_or(1, Named::name))
    }

    fn table_of_objects(i: usize, j: usize) -> (u32, u8) {
        static TABLE: [(&(dyn Everything + Sync), u8); 3] = [(&Fixed, 1), (&Counter { color: 9, count: 3 }, 2), (&Fixed, 3)];
        (TABLE[i % 3].0.name(), TABLE[j % 3].1 ^ colored(TABLE[j % 3].0))
    }

    fn objects_of_nothing(a: u8) -> (usize, usize, u32) {
        let object: &dyn Named = &Fixed;
        (size_of_val(object), Fixed.size() + a as usize, object.name())
    }

    fn objects_with_where_sized(a: u32) -> (u32, u32) {
        trait Partly {
            fn number(&self) -> u32;

            fn doubled(self) -> u32
            where
                Self: Sized;

            fn sum<T: AddAssign<u32>>(&self, mut to: T) -> T
            where
                Self: Sized,
            {
                to += self.number();
                to
            }
        }
        impl Partly for u32 {
            fn number(&self) -> u32 {
                *self / 2
            }

            fn doubled(self) -> u32 {
                self.number().wrapping_mul(4)
            }
        }
        let object: &dyn Partly = &a;
        (object.number(), a.doubled().wrapping_add((a / 4).sum(1)))
    }

    fn objects_in_cells(a: u8) -> (u32, usize) {
        let counter = Counter { color: a, count: 1 };
        let inner: Cell<&Counter> = Cell::new(&counter);
        let cell: Cell<&dyn Named> = inner;
        let named = cell.replace(&Fixed);
        (named.name() + cell.get().name(), size_of_val(&cell))
    }
}

traps! {
    fn object_panics(a: u32) -> u32 {
        let divide = move |by: u32| 100 / (a - by);
        let object: &dyn Fn(u32) -> u32 = &divide;
        object(5)
    } [(6,), (5,)]
}
