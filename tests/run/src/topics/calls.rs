//! Calls: how arguments and results travel, recursion, function pointers, trait objects.

use crate::case::{cases, traps};

#[inline(never)]
fn pair(a: u64) -> (u64, u64) {
    (a.wrapping_add(1), a ^ 5)
}

#[inline(never)]
fn triple(a: u32) -> (u8, u64, [u16; 3]) {
    (a as u8, a as u64 * 3, [a as u16, 1, 2])
}

#[inline(never)]
fn nothing(to: &mut u32) {
    *to ^= 1;
}

#[inline(never)]
#[allow(clippy::too_many_arguments)]
fn many(
    a: u8,
    b: i16,
    c: u32,
    d: i64,
    e: u128,
    f: f32,
    g: f64,
    h: bool,
    i: char,
    j: (u8, u32),
    k: [u16; 5],
    l: &u32,
    m: &[u8],
    n: (),
) -> u64 {
    let () = n;
    let numbers = (a as u64).wrapping_add(b as u64).wrapping_add(c as u64).wrapping_add(d as u64).wrapping_add(e as u64);
    let floats = f.to_bits() as u64 ^ g.to_bits();
    let rest = h as u64 + i as u64 + j.0 as u64 + j.1 as u64 + k[4] as u64 + *l as u64 + m.len() as u64;
    numbers ^ floats ^ rest
}

#[inline(never)]
fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n.wrapping_mul(factorial(n - 1)) }
}

#[inline(never)]
fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

#[inline(never)]
fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

#[inline(never)]
fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[inline(never)]
fn early(values: &[u32], limit: u32) -> Option<usize> {
    for (i, &value) in values.iter().enumerate() {
        if value > limit {
            return Some(i);
        }
    }
    None
}

#[inline(never)]
fn fails(a: u32) -> Result<u8, (u32, u64)> {
    let small = u8::try_from(a).map_err(|_| (a, a as u64 + 1))?;
    if small == 7 { Err((7, 7)) } else { Ok(small) }
}

type Binary = fn(i32, i32) -> i32;

#[inline(never)]
fn operation(which: u8) -> Option<Binary> {
    match which % 4 {
        0 => Some(i32::wrapping_add),
        1 => Some(i32::wrapping_sub),
        2 => Some(|a, b| a & b),
        _ => None,
    }
}

trait Animal {
    fn legs(&self) -> u32;

    fn walk(&mut self, steps: u32) -> (u32, u64);

    fn doubled(&self) -> u32 {
        self.legs() * 2
    }
}

struct Cat {
    place: u64,
}

struct Snake([u32; 4]);

impl Animal for Cat {
    fn legs(&self) -> u32 {
        4
    }

    fn walk(&mut self, steps: u32) -> (u32, u64) {
        self.place = self.place.wrapping_add(steps as u64);
        (steps, self.place)
    }
}

impl Animal for Snake {
    fn legs(&self) -> u32 {
        self.0[1]
    }

    fn walk(&mut self, steps: u32) -> (u32, u64) {
        self.0[2] ^= steps;
        (self.0[2], 1)
    }

    fn doubled(&self) -> u32 {
        9
    }
}

#[inline(never)]
fn exercise(animal: &mut dyn Animal, steps: u32) -> (u32, u64, u32) {
    let (taken, place) = animal.walk(steps);
    (taken, place, animal.legs() + animal.doubled())
}

cases! {
    fn tuple_results(a: u64, b: u32) -> ((u64, u64), u64, (u8, u64, [u16; 3])) {
        let (first, second) = pair(a);
        (pair(second), first, triple(b))
    }

    fn unit_results(a: u32) -> u32 {
        let mut a = a;
        nothing(&mut a);
        let () = nothing(&mut a);
        nothing(&mut a);
        a
    }

    fn many_arguments(a: u8, b: i16, e: u128, f: f32) -> u64 {
        let f = if f.is_nan() { 1.0 } else { f };
        many(a, b, 3, -4, e, f, 1.5, a > 7, 'x', (a, 9), [b as u16; 5], &11, &[1, 2, 3][a as usize % 4..], ())
    }

    fn recursion(n: u64) -> u64 {
        factorial(n % 30)
    }

    fn mutual_recursion(n: u32) -> bool {
        is_even(n % 60)
    }

    fn nested_recursion(m: u32, n: u32) -> u32 {
        ackermann(m % 3, n % 5)
    }

    fn returned_early(values: [u32; 5], limit: u32) -> Option<usize> {
        early(&values, limit)
    }

    fn question_mark(a: u32, b: u32) -> Result<u32, (u32, u64)> {
        fn both(a: u32, b: u32) -> Result<u32, (u32, u64)> {
            Ok(fails(a)? as u32 * 256 + fails(b)? as u32)
        }
        both(a, b)
    }

    fn function_pointers(which: u8, a: i32, b: i32) -> (Option<i32>, bool) {
        let function = operation(which);
        (function.map(|function| function(a, b)), function.is_some())
    }

    fn trait_objects(which: bool, a: u32, b: u64) -> ((u32, u64, u32), usize) {
        let (mut cat, mut snake) = (Cat { place: b }, Snake([a % 1000; 4]));
        let animal: &mut dyn Animal = if which { &mut cat } else { &mut snake };
        (exercise(animal, a), size_of_val(animal))
    }

    fn array_of_objects(a: u64) -> (u32, u32) {
        let (cat, snake) = (Cat { place: a }, Snake([a as u32 % 1000; 4]));
        let animals: [&dyn Animal; 3] = [&cat, &snake, &cat];
        (animals.iter().map(|animal| animal.legs()).sum(), animals[a as usize % 3].doubled())
    }

    fn labels_and_loops(a: u32, b: u32) -> (u32, u32, u32) {
        let (mut count, mut inner) = (0, 0);
        let found = 'outer: loop {
            count += 1;
            for i in 0.. {
                inner += 1;
                if i * count > a % 50 {
                    continue 'outer;
                }
                if i == b % 7 {
                    break 'outer i + count;
                }
                if count > 60 {
                    break 'outer 1000;
                }
            }
        };
        (found, count, inner)
    }

    fn loop_forms(a: u8) -> [u32; 5] {
        let mut found = [0; 5];
        let limit = a as u32 % 12;
        let mut i = 0;
        while i <= 2 {
            found[0] += limit + i;
            i += 1;
        }
        for i in 0..=limit {
            found[1] += i;
        }
        for i in (0..limit).step_by(3) {
            found[2] += i * i;
        }
        for i in (1..=limit).rev() {
            if i % 2 == 0 {
                continue;
            }
            found[3] = found[3] * 3 + i;
        }
        found[4] = loop {
            i += 2;
            if i > limit {
                break i;
            }
        };
        found
    }
}

traps! {
    fn deep(n: u32) -> u32 {
        #[inline(never)]
        fn down(n: u32) -> u32 {
            if n == 0 { panic!("the ground") } else if n > 100 { n } else { down(n - 1) }
        }
        down(n)
    } [(101,), (5,)]
}
