operations! {
    /// This thread's lane, 0 to 31.
    register fn lane_id() -> u32;
    /// The lanes before this one.
    register fn lanemask_lt() -> u32;
    /// The lanes up to this one.
    register fn lanemask_le() -> u32;
    /// This lane alone.
    register fn lanemask_eq() -> u32;
    /// The lanes from this one on.
    register fn lanemask_ge() -> u32;
    /// The lanes after this one.
    register fn lanemask_gt() -> u32;
    /// The warp's slot on its multiprocessor, which may change while it runs; not its number in the block.
    register fn warpid() -> u32;
    /// The most warps that a multiprocessor has.
    register fn nwarpid() -> u32;
    /// The lanes that execute this together right now.
    convergent fn active_mask() -> u32;
    /// Waits for the lanes of the mask and orders their memory accesses.
    convergent fn sync_mask(mask: u32);

    /// `value` of lane `source`.
    convergent fn shuffle_sync(mask: u32, value: u32, source: u32) -> u32;
    /// `value` of the lane whose number differs in the bits of `lanes`.
    convergent fn shuffle_xor_sync(mask: u32, value: u32, lanes: u32) -> u32;
    /// `value` of the lane that is `delta` higher, or this lane's where there is none.
    convergent fn shuffle_down_sync(mask: u32, value: u32, delta: u32) -> u32;
    /// `value` of the lane that is `delta` lower, or this lane's where there is none.
    convergent fn shuffle_up_sync(mask: u32, value: u32, delta: u32) -> u32;
    /// [`shuffle_sync`] of an `f32`.
    convergent fn shuffle_f32_sync(mask: u32, value: f32, source: u32) -> f32;
    /// [`shuffle_xor_sync`] of an `f32`.
    convergent fn shuffle_xor_f32_sync(mask: u32, value: f32, lanes: u32) -> f32;
    /// [`shuffle_down_sync`] of an `f32`.
    convergent fn shuffle_down_f32_sync(mask: u32, value: f32, delta: u32) -> f32;
    /// [`shuffle_up_sync`] of an `f32`.
    convergent fn shuffle_up_f32_sync(mask: u32, value: f32, delta: u32) -> f32;

    /// Whether `predicate` holds in every lane of the mask.
    convergent fn all_sync(mask: u32, predicate: bool) -> bool;
    /// Whether `predicate` holds in a lane of the mask.
    convergent fn any_sync(mask: u32, predicate: bool) -> bool;
    /// The lanes of the mask in which `predicate` holds.
    convergent fn ballot_sync(mask: u32, predicate: bool) -> u32;

    /// The lanes of the mask whose `value` is this lane's.
    convergent fn match_any_sync(mask: u32, value: u32) -> u32;
    /// [`match_any_sync`] of 64 bits.
    convergent fn match_any_i64_sync(mask: u32, value: u64) -> u32;
    /// The mask where all its lanes have the same `value`, else 0.
    convergent fn match_all_sync(mask: u32, value: u32) -> u32;
    /// [`match_all_sync`] of 64 bits.
    convergent fn match_all_i64_sync(mask: u32, value: u64) -> u32;

    /// The sum over the lanes of the mask, wrapping around (sm_80).
    convergent fn redux_sync_add(mask: u32, value: u32) -> u32;
    /// The bits set in all lanes of the mask (sm_80).
    convergent fn redux_sync_and(mask: u32, value: u32) -> u32;
    /// The bits set in a lane of the mask (sm_80).
    convergent fn redux_sync_or(mask: u32, value: u32) -> u32;
    /// The bits set in an odd number of lanes of the mask (sm_80).
    convergent fn redux_sync_xor(mask: u32, value: u32) -> u32;
    /// The least value over the lanes of the mask (sm_80).
    convergent fn redux_sync_min_u32(mask: u32, value: u32) -> u32;
    /// The least value over the lanes of the mask (sm_80).
    convergent fn redux_sync_min_i32(mask: u32, value: i32) -> i32;
    /// The greatest value over the lanes of the mask (sm_80).
    convergent fn redux_sync_max_u32(mask: u32, value: u32) -> u32;
    /// The greatest value over the lanes of the mask (sm_80).
    convergent fn redux_sync_max_i32(mask: u32, value: i32) -> i32;

    /// The elected lane, and whether it is this one.
    #[doc(hidden)]
    convergent fn elect(mask: u32) -> [u32; 2];
}
