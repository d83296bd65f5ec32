//! Operations of the 32 threads of a warp together.
//!
//! A participation mask has a bit for each lane that takes part; every lane of the mask must reach the same call with the same mask.
//! Forms without `_sync` are for all 32. Meanings are those of `shfl.sync`, `vote.sync` and `bar.warp.sync` in the PTX ISA.

const FULL_MASK: u32 = u32::MAX;

device_operations! {
    /// This thread's lane, 0 to 31.
    fn lane_id() -> u32;
    /// The lanes that execute this together right now.
    fn active_mask() -> u32;
    /// Waits for the lanes of the mask and orders their memory accesses.
    fn sync_mask(mask: u32);

    /// `value` of lane `source`.
    fn shuffle_sync(mask: u32, value: u32, source: u32) -> u32;
    /// `value` of the lane whose number differs in the bits of `lanes`.
    fn shuffle_xor_sync(mask: u32, value: u32, lanes: u32) -> u32;
    /// `value` of the lane that is `delta` higher, or this lane's where there is none.
    fn shuffle_down_sync(mask: u32, value: u32, delta: u32) -> u32;
    /// `value` of the lane that is `delta` lower, or this lane's where there is none.
    fn shuffle_up_sync(mask: u32, value: u32, delta: u32) -> u32;
    /// [`shuffle_sync`] of an `f32`.
    fn shuffle_f32_sync(mask: u32, value: f32, source: u32) -> f32;
    /// [`shuffle_xor_sync`] of an `f32`.
    fn shuffle_xor_f32_sync(mask: u32, value: f32, lanes: u32) -> f32;
    /// [`shuffle_down_sync`] of an `f32`.
    fn shuffle_down_f32_sync(mask: u32, value: f32, delta: u32) -> f32;
    /// [`shuffle_up_sync`] of an `f32`.
    fn shuffle_up_f32_sync(mask: u32, value: f32, delta: u32) -> f32;

    /// Whether `predicate` holds in every lane of the mask.
    fn all_sync(mask: u32, predicate: bool) -> bool;
    /// Whether `predicate` holds in a lane of the mask.
    fn any_sync(mask: u32, predicate: bool) -> bool;
    /// The lanes of the mask in which `predicate` holds.
    fn ballot_sync(mask: u32, predicate: bool) -> u32;
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
    all = all_sync(predicate: bool) -> bool;
    any = any_sync(predicate: bool) -> bool;
    ballot = ballot_sync(predicate: bool) -> u32;
}

/// The number of lanes in which `predicate` holds.
#[inline]
pub fn popc(predicate: bool) -> u32 {
    ballot(predicate).count_ones()
}
