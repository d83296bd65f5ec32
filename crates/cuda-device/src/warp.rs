//! Operations of the 32 threads of a warp together.
//!
//! A participation mask has a bit for each lane that takes part; every lane of the mask must reach the same call with the same mask.
//! Forms without `_sync` are for all 32. Meanings are those of `shfl.sync`, `vote.sync` and `bar.warp.sync` in the PTX ISA.

const FULL_MASK: u32 = u32::MAX;

include!("operations/warp.rs");

/// A lane of the mask, the same for all of them, and whether it is this one (sm_90).
#[inline]
pub fn elect_sync(mask: u32) -> (u32, bool) {
    let [leader, elected] = elect(mask);
    (leader, elected != 0)
}

/// Whether this is the lane of the mask that [`elect_sync`] chooses (sm_90).
#[inline]
pub fn is_elected_sync(mask: u32) -> bool {
    elect_sync(mask).1
}

/// The warp's number in its block, of blocks along x.
#[inline]
pub fn warp_id() -> u32 {
    crate::thread::threadIdx_x() / 32
}

macro_rules! shuffles_of_64_bits {
    ($($name:ident = $half:ident($value:ty, $operand:ident);)*) => {$(
        #[doc = concat!("[`", stringify!($half), "`] of 64 bits.")]
        #[inline]
        pub fn $name(mask: u32, value: $value, $operand: u32) -> $value {
            let bits: u64 = value.bits64();
            let low = $half(mask, bits as u32, $operand);
            let high = $half(mask, (bits >> 32) as u32, $operand);
            <$value>::of_bits64(u64::from(high) << 32 | u64::from(low))
        }
    )*};
}

/// Numbers of 64 bits, as their bits.
trait Wide {
    fn bits64(self) -> u64;
    fn of_bits64(bits: u64) -> Self;
}

impl Wide for u64 {
    #[inline]
    fn bits64(self) -> u64 {
        self
    }

    #[inline]
    fn of_bits64(bits: u64) -> Self {
        bits
    }
}

impl Wide for f64 {
    #[inline]
    fn bits64(self) -> u64 {
        self.to_bits()
    }

    #[inline]
    fn of_bits64(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

shuffles_of_64_bits! {
    shuffle_u64_sync = shuffle_sync(u64, source);
    shuffle_xor_u64_sync = shuffle_xor_sync(u64, lanes);
    shuffle_down_u64_sync = shuffle_down_sync(u64, delta);
    shuffle_up_u64_sync = shuffle_up_sync(u64, delta);
    shuffle_f64_sync = shuffle_sync(f64, source);
    shuffle_xor_f64_sync = shuffle_xor_sync(f64, lanes);
    shuffle_down_f64_sync = shuffle_down_sync(f64, delta);
    shuffle_up_f64_sync = shuffle_up_sync(f64, delta);
}

macro_rules! for_all_lanes {
    ($($name:ident = $sync:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($sync), "`] of all 32 lanes.")]
        #[inline]
        pub fn $name($($argument: $type),*) -> $output {
            $sync(FULL_MASK, $($argument),*)
        }
    )*};
}

for_all_lanes! {
    shuffle = shuffle_sync(value: u32, source: u32) -> u32;
    shuffle_xor = shuffle_xor_sync(value: u32, lanes: u32) -> u32;
    shuffle_down = shuffle_down_sync(value: u32, delta: u32) -> u32;
    shuffle_up = shuffle_up_sync(value: u32, delta: u32) -> u32;
    shuffle_f32 = shuffle_f32_sync(value: f32, source: u32) -> f32;
    shuffle_xor_f32 = shuffle_xor_f32_sync(value: f32, lanes: u32) -> f32;
    shuffle_down_f32 = shuffle_down_f32_sync(value: f32, delta: u32) -> f32;
    shuffle_up_f32 = shuffle_up_f32_sync(value: f32, delta: u32) -> f32;
    shuffle_u64 = shuffle_u64_sync(value: u64, source: u32) -> u64;
    shuffle_xor_u64 = shuffle_xor_u64_sync(value: u64, lanes: u32) -> u64;
    shuffle_down_u64 = shuffle_down_u64_sync(value: u64, delta: u32) -> u64;
    shuffle_up_u64 = shuffle_up_u64_sync(value: u64, delta: u32) -> u64;
    shuffle_f64 = shuffle_f64_sync(value: f64, source: u32) -> f64;
    shuffle_xor_f64 = shuffle_xor_f64_sync(value: f64, lanes: u32) -> f64;
    shuffle_down_f64 = shuffle_down_f64_sync(value: f64, delta: u32) -> f64;
    shuffle_up_f64 = shuffle_up_f64_sync(value: f64, delta: u32) -> f64;
    all = all_sync(predicate: bool) -> bool;
    any = any_sync(predicate: bool) -> bool;
    ballot = ballot_sync(predicate: bool) -> u32;
}

/// The number of lanes in which `predicate` holds.
#[inline]
pub fn popc(predicate: bool) -> u32 {
    ballot(predicate).count_ones()
}

/// The lanes of this warp that were launched, of blocks along x: fewer than 32 in the last warp of a block that is not a multiple of it.
#[inline]
pub fn live_lanes_1d() -> u32 {
    let first = crate::thread::threadIdx_x() & !31;
    (crate::thread::blockDim_x() - first).min(32)
}

macro_rules! reductions {
    ($($name:ident, $partial:ident: $value:ident, $shuffle:ident, $shuffle_sync:ident, $does:literal = |$one:ident, $other:ident| $combined:expr;)*) => {$(
        #[doc = concat!($does, " over all 32 lanes, in each of them: those that differ in bit 4 first, in bit 0 last.")]
        #[inline]
        pub fn $name(val: $value) -> $value {
            let mut $one = val;
            let mut lanes = 16;
            while lanes > 0 {
                let $other = $shuffle($one, lanes);
                $one = $combined;
                lanes /= 2;
            }
            $one
        }

        #[doc = concat!($does, " over the first `live_lanes` lanes, at least 1 and at most 32, in each of them. Others have no part in it and")]
        /// get a value without meaning.
        #[inline]
        pub fn $partial(val: $value, live_lanes: u32) -> $value {
            let live = live_lanes.clamp(1, 32);
            let lane = lane_id();
            if lane >= live {
                return val;
            }
            let mask = FULL_MASK >> (32 - live);
            let mut $one = val;
            let mut lanes = 16;
            while lanes > 0 {
                let $other = $shuffle_sync(mask, $one, lanes);
                if lane + lanes < live {
                    $one = $combined;
                }
                lanes /= 2;
            }
            reductions!(@first $value, mask, $one)
        }
    )*};
    (@first f32, $mask:ident, $value:ident) => { shuffle_f32_sync($mask, $value, 0) };
    (@first f64, $mask:ident, $value:ident) => { shuffle_f64_sync($mask, $value, 0) };
}

reductions! {
    reduce_sum_f32, reduce_sum_f32_partial: f32, shuffle_xor_f32, shuffle_down_f32_sync, "The sum" = |one, other| one + other;
    reduce_max_f32, reduce_max_f32_partial: f32, shuffle_xor_f32, shuffle_down_f32_sync, "The greatest value" = |one, other| one.max(other);
    reduce_min_f32, reduce_min_f32_partial: f32, shuffle_xor_f32, shuffle_down_f32_sync, "The least value" = |one, other| one.min(other);
    reduce_sum_f64, reduce_sum_f64_partial: f64, shuffle_xor_f64, shuffle_down_f64_sync, "The sum" = |one, other| one + other;
    reduce_max_f64, reduce_max_f64_partial: f64, shuffle_xor_f64, shuffle_down_f64_sync, "The greatest value" = |one, other| one.max(other);
    reduce_min_f64, reduce_min_f64_partial: f64, shuffle_xor_f64, shuffle_down_f64_sync, "The least value" = |one, other| one.min(other);
}
