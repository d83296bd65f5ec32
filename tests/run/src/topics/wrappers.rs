//! Types of `core` that wrap numbers: `Wrapping`, `Saturating`, `NonZero`, `Duration`, `Ordering`, addresses, atomics.

use std::{
    cmp::{Ordering, Reverse, max, max_by_key, min, min_by_key},
    num::{NonZero, NonZeroI16, NonZeroU8, NonZeroU32, NonZeroU64, Saturating, Wrapping},
    sync::atomic::{
        AtomicBool, AtomicU32,
        Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
    },
    time::Duration,
};

use meaning::{cases, traps};

cases! {
    fn wrapping_numbers(a: u8, b: u8, c: i32) -> (u8, u8, i32, u8) {
        let (left, right) = (Wrapping(a), Wrapping(b));
        let mut sum = left + right * left - Wrapping(3);
        sum += right;
        sum <<= 3;
        (sum.0, (-left).0 ^ (!right).0, (Wrapping(c) * Wrapping(c) + Wrapping(1)).0, [left, right, sum].into_iter().sum::<Wrapping<u8>>().0)
    }

    fn saturating_numbers(a: u8, b: u8, c: i32) -> (u8, u8, i32) {
        let (left, right) = (Saturating(a), Saturating(b));
        let mut number = Saturating(c);
        number -= Saturating(i32::MAX);
        number *= Saturating(3);
        ((left + right).0, (left - right).0, (-number).0)
    }

    fn non_zero_arithmetic(a: u32, b: u8) -> (Option<u32>, Option<u64>, u32, Option<u8>) {
        let (first, second) = (NonZeroU32::new(a), NonZeroU8::new(b));
        (
            first.and_then(|value| value.checked_add(7)).map(NonZero::get),
            first.map(|value| NonZeroU64::from(value).saturating_mul(NonZeroU64::MAX).get()),
            first.map_or(99, |value| value.leading_zeros() + value.ilog2() + value.is_power_of_two() as u32),
            second.and_then(NonZeroU8::checked_next_power_of_two).map(NonZero::get),
        )
    }

    fn non_zero_divisors(a: u64, b: u64) -> (Option<u64>, Option<u64>) {
        let by = NonZeroU64::new(b);
        (by.map(|by| a / by), by.map(|by| a % by))
    }

    fn non_zero_signed_functions(a: i16, b: i16) -> (Option<i16>, Option<u16>, Option<i16>, bool) {
        let value = NonZeroI16::new(a);
        (
            value.and_then(NonZeroI16::checked_abs).map(NonZero::get), value.map(|value| value.unsigned_abs().get()),
            value.and_then(|value| value.checked_neg()).map(NonZero::get), value == NonZeroI16::new(b),
        )
    }

    fn non_zero_conversions(a: u32, b: i64) -> (Option<u8>, Option<i8>, Option<u32>) {
        let small = NonZero::<u32>::try_from(a).ok();
        (
            small.and_then(|value| NonZero::<u8>::try_from(value).ok()).map(NonZero::get),
            NonZero::new(b).and_then(|value| NonZero::<i8>::try_from(value).ok()).map(NonZero::get),
            small.map(|value| (value | 8).get()),
        )
    }

    fn reversed_order(a: u32, b: u32) -> (Ordering, bool, u32) {
        (Reverse(a).cmp(&Reverse(b)), Reverse(a) < Reverse(b), max(Reverse(a), Reverse(b)).0)
    }

    fn orderings(a: i32, b: i32, c: u8) -> ([Ordering; 4], [bool; 6], i8) {
        let order = a.cmp(&b);
        (
            [order.reverse(), order.then(c.cmp(&9)), order.then_with(|| 9.cmp(&c)), c.cmp(&7).then(order)],
            [order.is_eq(), order.is_ne(), order.is_lt(), order.is_le(), order.is_gt(), order.is_ge()],
            order as i8,
        )
    }

    fn smaller_and_larger(a: i32, b: i32) -> [i32; 4] {
        [min(a, b), max(a, b), min_by_key(a, b, |value| value.unsigned_abs()), max_by_key(a, b, |value| value & 0xf)]
    }

    fn durations(a: u32, b: u64) -> (u64, u32, u128, Option<u64>) {
        let (first, second) = (Duration::new(b % (1 << 40), a), Duration::from_millis(b));
        let sum = first.saturating_add(second);
        (sum.as_secs(), sum.subsec_nanos(), second.as_micros(), first.checked_sub(second).map(|left| left.as_secs()))
    }

    fn durations_scaled(a: u32, b: u32) -> (u64, u32, Option<u128>, [bool; 2]) {
        let duration = Duration::from_micros(a as u64);
        let longer = duration * b;
        (longer.as_secs(), longer.subsec_micros(), longer.checked_div(b).map(|part| part.as_nanos()), [duration < longer, longer.is_zero()])
    }

    fn durations_as_floats(a: u32) -> (f64, f32, u128) {
        let duration = Duration::from_nanos(a as u64 * 1000);
        (duration.as_secs_f64(), duration.as_secs_f32(), duration.mul_f64(0.5).as_nanos())
    }

    fn atomics_of_a_thread(a: u32, b: u32) -> (u32, u32, u32, bool) {
        let (number, flag) = (AtomicU32::new(a), AtomicBool::new(a > b));
        let before = number.fetch_add(b, Relaxed);
        let swapped = number.swap(b, Relaxed);
        let largest = number.fetch_max(100, Relaxed);
        (before, swapped, largest ^ number.load(Relaxed), flag.fetch_xor(true, Relaxed) | flag.load(Relaxed))
    }

    fn atomics_updated(a: u32) -> (u32, u32) {
        let mut number = AtomicU32::new(a);
        let found = number.fetch_nand(7, Relaxed);
        *number.get_mut() ^= 1;
        (found, number.into_inner())
    }

    fn atomics_exchanged(a: u32, b: u32, which: bool) -> ([Result<u32, u32>; 3], [u32; 2]) {
        let (first, second) = (AtomicU32::new(a), AtomicU32::new(b));
        // Which memory it is, is known only when it runs.
        let chosen = if which { &first } else { &second };
        let found = [
            first.compare_exchange(7, 8, AcqRel, Acquire),
            chosen.compare_exchange_weak(b, 9, SeqCst, Relaxed),
            chosen.fetch_update(SeqCst, Relaxed, |number| number.checked_mul(3)),
        ];
        (found, [first.into_inner(), second.into_inner()])
    }

    fn addresses(a: u32, b: u32) -> ([u8; 4], [bool; 3], u32, u16) {
        use std::net::{Ipv4Addr, Ipv6Addr};
        let address = Ipv4Addr::from(a);
        let wide = Ipv6Addr::from((a as u128) << 96 | b as u128);
        let kinds = [address.is_loopback(), address.is_private(), wide.is_loopback()];
        (address.octets(), kinds, address.max(Ipv4Addr::from(b)).into(), wide.segments()[0])
    }

    fn units_of_measure(a: u16, b: u16) -> (u32, bool) {
        use std::{marker::PhantomData, ops::Mul};
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct Quantity<U, T>(T, PhantomData<U>);
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct Meter;
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct Square<U>(PhantomData<U>);
        impl<U, T: Mul> Mul for Quantity<U, T> {
            type Output = Quantity<Square<U>, T::Output>;

            fn mul(self, other: Self) -> Self::Output {
                Quantity(self.0 * other.0, PhantomData)
            }
        }
        let (width, height) = (Quantity::<Meter, u32>(a as u32, PhantomData), Quantity(b as u32, PhantomData));
        ((width * height).0, width < height)
    }
}

traps! {
    fn non_zero_of_zero(a: u32) -> u32 { 100 / NonZeroU32::new(a).expect("not zero").get() } [(7,), (0,)]

    fn duration_overflow(seconds: u64) -> u64 { (Duration::from_secs(seconds) + Duration::from_secs(1)).as_secs() } [(5,), (u64::MAX,)]

    fn duration_below_zero(seconds: u64) -> u64 { (Duration::from_secs(5) - Duration::from_secs(seconds)).as_secs() } [(5,), (6,)]

    fn duration_from_a_float(seconds: f32) -> u64 { Duration::from_secs_f32(seconds).as_secs() } [(2.5,), (-1.0,), (f32::NAN,), (1e30,)]

    fn saturating_division(a: i8, b: i8) -> i8 { (Saturating(a) / Saturating(b)).0 } [(-128, -1), (5, 0)]
}
