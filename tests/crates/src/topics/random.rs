//! Random numbers: rand_core with rand_xoshiro, rand_pcg and rand_chacha; oorandom.

use meaning::case::{cases, traps};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use rand_core::{Rng, SeedableRng, TryRng};
use rand_pcg::{Lcg64Xsh32, Mcg128Xsl64, Pcg64};
use rand_xoshiro::{SplitMix64, Xoroshiro128Plus, Xoshiro128StarStar, Xoshiro256PlusPlus};

fn drawn<R: Rng>(mut random: R) -> (u32, u64, [u8; 11], u32) {
    let mut bytes = [0; 11];
    let (first, second) = (random.next_u32(), random.next_u64());
    random.fill_bytes(&mut bytes);
    (first, second, bytes, random.next_u32())
}

/// Points in the unit circle, out of `count`.
fn inside<R: Rng>(random: &mut R, count: u32) -> u32 {
    let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count).filter(|_| unit().powi(2) + unit().powi(2) < 1.0).count() as u32
}

/// A counter in the place of randomness.
struct Counter(u32);

impl TryRng for Counter {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0 = self.0.wrapping_add(1);
        Ok(self.0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        rand_core::utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Self::Error> {
        rand_core::utils::fill_bytes_via_next_word(to, || self.try_next_u32())
    }
}

cases! {
    fn xoshiro_256(seed: u64) -> (u32, u64, [u8; 11], u32) {
        drawn(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn xoshiro_128(seed: [u8; 16]) -> ((u32, u64, [u8; 11], u32), u64) {
        (drawn(Xoshiro128StarStar::from_seed(seed)), Xoroshiro128Plus::from_seed(seed).next_u64())
    }

    fn streams(seed: u64, thread: u8) -> (u64, u64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..thread % 4 {
            random.jump();
        }
        let first = random.next_u64();
        random.long_jump();
        (first, random.next_u64())
    }

    fn split_mix(seed: u64) -> (u32, u64, [u8; 11], u32) {
        drawn(SplitMix64::seed_from_u64(seed))
    }

    fn pcg(state: u64, stream: u64) -> ((u32, u64, [u8; 11], u32), (u32, u64, [u8; 11], u32)) {
        (drawn(Lcg64Xsh32::new(state, stream)), drawn(Pcg64::new(state as u128 * 3, stream as u128)))
    }

    fn pcg_advanced(state: u128, by: u8) -> (u64, u64) {
        let mut random = Mcg128Xsl64::new(state);
        random.advance(by as u128);
        (random.next_u64(), Mcg128Xsl64::from_seed([by; 16]).next_u64())
    }

    fn chacha(seed: u64, block: u8) -> ((u32, u64, [u8; 11], u32), u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(9);
        random.set_word_pos(block as u128 * 5);
        (drawn(ChaCha20Rng::from_seed([block; 32])), random.next_u64())
    }

    fn out_of_order(seed: u64, high: u32) -> (u32, f32, u32, f64, i64) {
        let (mut small, mut large) = (oorandom::Rand32::new(seed), oorandom::Rand64::new(seed as u128));
        (small.rand_u32(), small.rand_float(), small.rand_range(0..high.max(1)), large.rand_float(), large.rand_i64())
    }

    fn monte_carlo(seed: u64) -> u32 {
        inside(&mut Xoshiro256PlusPlus::seed_from_u64(seed), 40)
    }

    fn own_generator(from: u32) -> ((u32, u64, [u8; 11], u32), u32) {
        (drawn(Counter(from)), inside(&mut Counter(from), 5))
    }

    fn shuffled(seed: u64) -> [u8; 9] {
        let mut cards = core::array::from_fn(|i| i as u8);
        let mut random = oorandom::Rand32::new(seed);
        for last in (1..cards.len()).rev() {
            cards.swap(last, random.rand_range(0..last as u32 + 1) as usize);
        }
        cards
    }
}

traps! {}
