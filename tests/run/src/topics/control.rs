//! Control flow: loops with values, labels, `?` with conversions, state machines, recursion through pointers.

use meaning::{cases, traps};

#[derive(Clone, Copy)]
enum Failure {
    Small(u8),
    Wide(u64),
    Divided,
}

impl From<u8> for Failure {
    fn from(code: u8) -> Self {
        Failure::Small(code)
    }
}

impl From<u64> for Failure {
    fn from(code: u64) -> Self {
        Failure::Wide(code)
    }
}

impl Failure {
    fn code(self) -> u64 {
        match self {
            Failure::Small(code) => code as u64,
            Failure::Wide(code) => code,
            Failure::Divided => 77,
        }
    }
}

#[inline(never)]
fn small(a: u32) -> Result<u32, u8> {
    if a % 3 == 0 { Err(a as u8) } else { Ok(a / 2) }
}

#[inline(never)]
fn wide(a: u32) -> Result<u64, u64> {
    if a % 5 == 0 { Err(a as u64 + 1) } else { Ok(a as u64) }
}

cases! {
    fn break_with_value(a: u32, limit: u32) -> (u32, u32) {
        let (mut value, mut steps) = (a, 0);
        let found = loop {
            steps += 1;
            if value < 2 || steps > limit % 40 {
                break value ^ 1;
            }
            value = if value % 2 == 0 { value / 2 } else { value.wrapping_mul(3).wrapping_add(1) };
        };
        (found, steps)
    }

    fn block_with_label(a: u32, b: u32) -> u32 {
        let found = 'block: {
            if a < 3 {
                break 'block 1;
            }
            for i in 0..b % 10 {
                if i * 3 > a {
                    break 'block i;
                }
            }
            a / 2
        };
        found ^ 5
    }

    fn nested_labels(a: u8, b: u8) -> (u32, u32) {
        let (mut outer, mut inner) = (0, 0);
        'a: for i in 0..a % 12 {
            'b: for j in 0..b % 12 {
                for k in 0..3 {
                    inner += 1;
                    if (i ^ j ^ k) == 5 {
                        continue 'a;
                    }
                    if (i + j + k) % 7 == 6 {
                        continue 'b;
                    }
                    if i * j > 60 {
                        break 'a;
                    }
                }
            }
            outer += 1;
        }
        (outer, inner)
    }

    fn loops_at_the_bounds(a: u8) -> (u32, u32, u32) {
        let low = 250 + a % 6;
        let up = (low..=u8::MAX).map(|value| value as u32).sum();
        let down = (i8::MIN..=i8::MIN + (a % 3) as i8).rev().fold(0, |sum: u32, value| sum * 3 + value as u8 as u32);
        let mut count = 0;
        for _ in (0..=u64::MAX).step_by(1 << 60) {
            count += 1;
        }
        (up, down, count)
    }

    fn limits_changed_in_the_body(a: u32) -> (u32, u32) {
        let (mut limit, mut i, mut sum) = (a % 20, 0, 0);
        while i < limit {
            if i == 3 {
                limit /= 2;
            }
            i += if sum % 2 == 0 { 1 } else { 2 };
            sum += i;
        }
        (i, sum)
    }

    fn counting_down(a: u32) -> (u32, u32) {
        let (mut n, mut bits) = (a, 0);
        while n != 0 {
            n &= n - 1;
            bits += 1;
        }
        (bits, a.count_ones())
    }

    fn question_mark_converts(a: u32, b: u32) -> Result<u64, u64> {
        fn both(a: u32, b: u32) -> Result<u64, Failure> {
            let first = small(a)?;
            let second = wide(b)?;
            let third = second.checked_div(first as u64).ok_or(Failure::Divided)?;
            Ok(third + small(b)? as u64)
        }
        both(a, b).map_err(Failure::code)
    }

    fn question_mark_in_closures(values: [u32; 4]) -> (Option<u32>, Result<u32, u8>) {
        let sum = || -> Option<u32> {
            let mut sum = 0u32;
            for value in values {
                sum = sum.checked_add(value)?;
            }
            Some(sum)
        };
        let mut halves = values.iter().map(|&value| Ok(small(value)? ^ small(value / 2)?));
        let halves = halves.try_fold(0, |all, one: Result<u32, u8>| Ok(all ^ one?));
        (sum(), halves)
    }

    fn question_mark_on_references(values: [u8; 4], i: usize, j: usize) -> Option<u8> {
        fn find(rows: &[&[u8]], i: usize, j: usize) -> Option<u8> {
            let cell = rows.get(i)?.get(j)?;
            cell.checked_add(*rows.first()?.last()?)
        }
        find(&[&values[..2], &[], &values[1..]], i % 4, j % 4)
    }

    fn state_machine(values: [u8; 8]) -> (u32, u8) {
        #[derive(Clone, Copy)]
        enum State {
            Start,
            Number(u32),
            Word { length: u8 },
            Failed,
        }
        let (mut state, mut total, mut words) = (State::Start, 0, 0);
        for byte in values {
            state = match (state, byte) {
                (State::Start | State::Word { .. }, b'0'..=b'9') => State::Number((byte - b'0') as u32),
                (State::Number(number), b'0'..=b'9') => State::Number(number * 10 + (byte - b'0') as u32),
                (State::Number(number), b'\n' | 0) => {
                    total += number;
                    State::Start
                }
                (State::Start, b'a'..=b'z') => State::Word { length: 1 },
                (State::Word { length }, b'a'..=b'z') => State::Word { length: length + 1 },
                (State::Word { length: 2.. }, _) => {
                    words += 1;
                    State::Start
                }
                (_, 255) => State::Failed,
                (state @ State::Failed, _) => state,
                _ => State::Start,
            };
        }
        (total, words)
    }

    /// A loop that can be entered in its middle.
    fn entered_in_the_middle(a: u32, middle: bool) -> (u32, u32) {
        let (mut value, mut steps) = (a, 0);
        let mut at = if middle { 1 } else { 0 };
        loop {
            match at {
                0 => {
                    value = value.wrapping_mul(5).wrapping_add(1);
                    at = if value % 4 == 3 { 2 } else { 1 };
                }
                1 => {
                    steps += 1;
                    value /= 2;
                    at = if steps > 20 || value == 0 { 3 } else if value % 3 == 0 { 0 } else { 2 };
                }
                2 => {
                    value ^= steps;
                    at = if value & 1 == 0 { 1 } else { 0 };
                    steps += 1;
                }
                _ => break,
            }
            if steps > 40 {
                break;
            }
        }
        (value, steps)
    }

    fn interpreter(program: [u8; 6], a: u32) -> (u32, u32) {
        let (mut stack, mut top, mut steps, mut at) = ([a; 4], 1usize, 0, 0usize);
        while let Some(&code) = program.get(at) {
            at += 1;
            steps += 1;
            match code % 6 {
                0 if top < 4 => {
                    stack[top] = code as u32;
                    top += 1;
                }
                1 if top > 1 => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].wrapping_add(stack[top]);
                }
                2 => stack[top - 1] = stack[top - 1].rotate_left(3),
                3 if steps < 12 => at = at.saturating_sub(2),
                4 => break,
                _ => stack[0] ^= 1,
            }
        }
        (stack[top - 1], steps)
    }

    fn recursion_through_pointers(a: u32) -> u32 {
        type Step = fn(&[Step2], u32, u32) -> u32;
        #[derive(Clone, Copy)]
        struct Step2(Step);
        fn down(table: &[Step2], n: u32, sum: u32) -> u32 {
            if n == 0 { sum } else { (table[n as usize % 2].0)(table, n - 1, sum + n) }
        }
        fn turn(table: &[Step2], n: u32, sum: u32) -> u32 {
            if n == 0 { sum ^ 1 } else { (table[sum as usize % 2].0)(table, n - 1, sum * 2) }
        }
        let table = [Step2(down), Step2(turn)];
        (table[0].0)(&table, a % 15, 1)
    }

    fn recursion_with_a_closure(a: u32) -> u32 {
        fn walk(depth: u32, visit: &mut dyn FnMut(u32)) {
            visit(depth);
            if depth > 0 {
                walk(depth - 1, visit);
                walk(depth / 2, visit);
            }
        }
        let mut sum = 0u32;
        walk(a % 7, &mut |depth| sum = sum.wrapping_mul(3).wrapping_add(depth));
        sum
    }

    fn three_functions_in_a_ring(a: u32) -> u32 {
        #[inline(never)]
        fn first(n: u32) -> u32 {
            if n < 2 { n } else { second(n - 1).wrapping_add(1) }
        }
        #[inline(never)]
        fn second(n: u32) -> u32 {
            if n < 2 { n + 10 } else { third(n / 2).wrapping_mul(2) }
        }
        #[inline(never)]
        fn third(n: u32) -> u32 {
            if n < 2 { n + 100 } else { first(n - 2) ^ second(n - 1) }
        }
        first(a % 50)
    }

    fn recursive_on_slices(values: [i32; 8], from: usize) -> i64 {
        fn best(values: &[i32]) -> i64 {
            match values.len() {
                0 => 0,
                1 => values[0] as i64,
                length => {
                    let (left, right) = values.split_at(length / 2);
                    best(left).max(best(right)) + (length % 2) as i64
                }
            }
        }
        best(&values[from % 8..])
    }

    fn never_returning_branches(a: u32) -> u32 {
        let value: u32 = if a > 5 { a } else { return 1 };
        let other = match value {
            0..=9 => return 2,
            97 => 'c' as u32,
            _ => value,
        };
        loop {
            if other > 3 {
                break other / 3;
            }
            return 4;
        }
    }

    fn short_circuits(a: u8, b: u8) -> (bool, bool, u8) {
        let mut calls = 0;
        let mut test = |truth: bool| {
            calls += 1;
            truth
        };
        let first = test(a > 5) && test(b > 5) || test(a == b);
        let second = (test(a < 3) || test(b < 3)) && !test(a > b);
        (first, second, calls)
    }

    fn evaluation_order(a: u32) -> (u32, [u32; 3], u32) {
        let mut count = a % 10;
        let mut next = || {
            count += 1;
            count
        };
        let array = [next(), next() * 10, next() * 100];
        let sum = next() - next().min(1) + next();
        let mut slots = [0; 3];
        slots[next() as usize % 3] = next();
        (sum, [slots[0], slots[1], slots[2]], array[0] + array[1] + array[2])
    }

    /// Unrolling may neither add a turn nor leave one out.
    fn turns(n: u8, step: u8, stop: u8) -> [u32; 7] {
        let mut sums = [0u32; 7];
        let mut i = 0;
        while i <= 2 {
            sums[0] += n as u32 + i;
            i += 1;
        }
        for i in (0..=n).step_by(step as usize % 7 + 1) {
            sums[1] = sums[1] * 3 % 10007 + i as u32;
        }
        let (mut limit, mut i) = (n as u32 % 50, 0);
        while i < limit {
            if i == stop as u32 {
                limit /= 2;
            }
            i += 1;
            sums[2] += i;
        }
        let mut left = n as i32;
        while left >= 0 {
            left -= step as i32 % 5 + 1;
            sums[3] += 1;
        }
        sums[4] = loop {
            i += 3;
            if i.is_multiple_of(7) {
                continue;
            }
            if i > 200 || i % 11 == 5 {
                break i;
            }
        };
        let mut wrapping = n;
        loop {
            sums[5] += 1;
            wrapping = wrapping.wrapping_sub(3);
            if wrapping < 3 || sums[5] > 300 {
                break;
            }
        }
        for (i, value) in (0..n).chain(stop..=255).rev().enumerate().skip(2) {
            sums[6] = sums[6].wrapping_mul(31) ^ (i as u32 + value as u32);
        }
        sums
    }

    fn continued_outside(values: [u8; 6], stop: u8) -> [u32; 3] {
        let mut counts = [0; 3];
        'outer: for (i, &value) in values.iter().enumerate() {
            loop {
                counts[0] += 1;
                for inner in 0..value % 9 {
                    if inner == stop % 11 {
                        continue 'outer;
                    }
                    if (i as u8 + inner) % 5 == 4 {
                        continue;
                    }
                    counts[1] += inner as u32;
                }
                let Some(1..) = value.checked_sub(stop) else { break };
                if counts[0].is_multiple_of(2) {
                    break 'outer;
                }
            }
            counts[2] += 100;
        }
        counts
    }
}

traps! {
    fn stuck(a: u32) -> u32 {
        let mut value = a;
        for _ in 0..100 {
            if value == 1 {
                return value;
            }
            value = if value % 2 == 0 { value / 2 } else { value + 7 };
        }
        unreachable!("no end in sight")
    } [(8,), (7,)]

    fn unimplemented_branch(a: u8) -> u8 {
        match a {
            0..=9 => a,
            _ => unimplemented!(),
        }
    } [(9,), (10,)]
}
