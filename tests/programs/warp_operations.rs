//! What the lanes of a warp do together, with full and partial masks: each answer is computed here too.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread, warp};

const LANES: usize = 32;
const ANSWERS: usize = 34;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn ask(values: &[u32], out: *mut u32, wide: *mut u64, floats: *mut f64) {
        let lane = warp::lane_id();
        let at = thread::threadIdx_x() as usize;
        let value = values[at];
        let half = if lane % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaa };
        let answers = [
            warp::match_any_sync(!0, value % 5),
            warp::match_any_i64_sync(!0, u64::from(value % 3) << 40),
            warp::match_all_sync(!0, value % 5),
            warp::match_all_sync(!0, 7),
            warp::match_all_i64_sync(half, u64::from(lane % 2) << 33),
            warp::redux_sync_add(!0, value),
            warp::redux_sync_add(half, value),
            warp::redux_sync_and(half, value | 1),
            warp::redux_sync_or(half, value),
            warp::redux_sync_xor(half, value),
            warp::redux_sync_min_u32(half, value),
            warp::redux_sync_max_u32(half, value),
            warp::redux_sync_min_i32(half, value as i32) as u32,
            warp::redux_sync_max_i32(half, value as i32) as u32,
            warp::lanemask_lt(),
            warp::lanemask_le(),
            warp::lanemask_eq(),
            warp::lanemask_ge(),
            warp::lanemask_gt(),
            warp::ballot(value % 2 == 0),
            warp::popc(value % 2 == 0),
            warp::ballot_sync(half, value % 3 == 0),
            u32::from(warp::all(value != 1)),
            u32::from(warp::any(value % 5 == 4)),
            warp::shuffle(value, 31 - lane),
            warp::shuffle_xor(value, 5),
            warp::shuffle_down(value, 3),
            warp::shuffle_up(value, 3),
            warp::shuffle_sync(half, value, lane ^ 2),
            warp::live_lanes_1d(),
            warp::warp_id(),
            warp::reduce_sum_f32(value as f32).to_bits(),
            warp::reduce_max_f32(value as f32).to_bits(),
            warp::active_mask(),
        ];
        for (number, answer) in answers.iter().enumerate() {
            unsafe { *out.add(at * ANSWERS + number) = *answer };
        }
        let long = u64::from(value) << 32 | u64::from(lane);
        let longs =
            [warp::shuffle_u64(long, 9), warp::shuffle_xor_u64(long, 1), warp::shuffle_down_u64(long, 1), warp::shuffle_up_u64(long, 1)];
        for (number, answer) in longs.iter().enumerate() {
            unsafe { *wide.add(at * 4 + number) = *answer };
        }
        unsafe {
            *floats.add(at * 2) = warp::shuffle_f64(f64::from(value) + 0.5, 3);
            *floats.add(at * 2 + 1) = warp::reduce_sum_f64(f64::from(value));
        }
    }

    /// Even and odd lanes each among themselves: every shuffle, votes, and words that lanes leave for each other.
    #[kernel]
    pub unsafe fn halves(values: &[u32], out: *mut [u32; 13]) {
        static mut LEFT: SharedArray<u32, 64> = SharedArray::UNINIT;
        let (lane, at) = (warp::lane_id(), thread::threadIdx_x() as usize);
        let (value, half) = (values[at], if lane % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaa });
        let (float, left) = (value as f32, unsafe { SharedArray::as_raw_mut_ptr(&raw mut LEFT) });
        unsafe { *left.add(at) = value };
        warp::sync_mask(half);
        let found = unsafe { *left.add(at ^ 2) };
        let answers = [
            found,
            warp::shuffle_sync(half, value, 30 + lane % 2),
            warp::shuffle_xor_sync(half, value, 6),
            warp::shuffle_down_sync(half, value, 4),
            warp::shuffle_up_sync(half, value, 4),
            warp::shuffle_f32_sync(half, float, 30 + lane % 2).to_bits(),
            warp::shuffle_xor_f32_sync(half, float, 6).to_bits(),
            warp::shuffle_down_f32_sync(half, float, 4).to_bits(),
            warp::shuffle_up_f32_sync(half, float, 4).to_bits(),
            u32::from(warp::all_sync(half, lane % 2 == 0)),
            u32::from(warp::any_sync(half, lane == 6)),
            warp::ballot_sync(half, value % 7 < 3),
            warp::active_mask() & half,
        ];
        unsafe { *out.add(at) = answers };
    }

    /// Elections: which lane leads is for the hardware to say, but all lanes of a mask hear the same.
    #[kernel]
    pub unsafe fn elections(out: *mut [u32; 5]) {
        let at = thread::threadIdx_x() as usize;
        let (leader, leads) = warp::elect_sync(!0);
        let (again, _) = warp::elect_sync(!0);
        let (mut of_few, mut leads_few) = (32, false);
        if at % 32 >= 20 {
            of_few = warp::elect_sync(!0 << 20).0;
            leads_few = warp::is_elected_sync(!0 << 20);
        }
        unsafe { *out.add(at) = [leader, again, leads.into(), of_few, leads_few.into()] };
    }

    #[kernel]
    pub unsafe fn tails(out: *mut f32) {
        let lane = thread::threadIdx_x();
        let live = warp::live_lanes_1d();
        let value = (lane * lane % 37) as f32;
        unsafe {
            *out.add(lane as usize * 3) = warp::reduce_sum_f32_partial(value, live);
            *out.add(lane as usize * 3 + 1) = warp::reduce_max_f32_partial(value, live);
            *out.add(lane as usize * 3 + 2) = warp::reduce_min_f64_partial(f64::from(value) + 1.0, live) as f32;
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let values: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(2_654_435_761) >> 3).collect();
    let input = DeviceBuffer::from_host(&stream, &values).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 64 * ANSWERS).unwrap();
    let wide = DeviceBuffer::<u64>::zeroed(&stream, 64 * 4).unwrap();
    let floats = DeviceBuffer::<f64>::zeroed(&stream, 64 * 2).unwrap();
    let config = |threads| LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
    let addresses = (out.cu_deviceptr() as *mut u32, wide.cu_deviceptr() as *mut u64, floats.cu_deviceptr() as *mut f64);
    unsafe { module.ask(&stream, config(64), &input, addresses.0, addresses.1, addresses.2) }.unwrap();
    let (out, wide, floats) = (out.to_host_vec(&stream).unwrap(), wide.to_host_vec(&stream).unwrap(), floats.to_host_vec(&stream).unwrap());
    for (warp, values) in values.chunks(LANES).enumerate() {
        let lanes = |which: &dyn Fn(usize) -> bool| (0..LANES).filter(|&lane| which(lane)).map(|lane| 1u32 << lane).sum::<u32>();
        let sum: u32 = values.iter().fold(0, |sum, value| sum.wrapping_add(*value));
        let float_sum = |mut parts: Vec<f32>| {
            while parts.len() > 1 {
                let (low, high) = parts.split_at(parts.len() / 2);
                parts = low.iter().zip(high).map(|(one, other)| one + other).collect();
            }
            parts[0]
        };
        for lane in 0..LANES {
            let value = values[lane];
            let mates: Vec<u32> = values.iter().skip(lane % 2).step_by(2).copied().collect();
            let expected = [
                lanes(&|other| values[other] % 5 == value % 5),
                lanes(&|other| values[other] % 3 == value % 3),
                if values.iter().all(|other| other % 5 == value % 5) { !0 } else { 0 },
                !0,
                lanes(&|other| other % 2 == lane % 2),
                sum,
                mates.iter().fold(0u32, |sum, value| sum.wrapping_add(*value)),
                mates.iter().fold(!0, |all, value| all & (value | 1)),
                mates.iter().fold(0, |any, value| any | value),
                mates.iter().fold(0, |odd, value| odd ^ value),
                *mates.iter().min().unwrap(),
                *mates.iter().max().unwrap(),
                mates.iter().map(|value| *value as i32).min().unwrap() as u32,
                mates.iter().map(|value| *value as i32).max().unwrap() as u32,
                lanes(&|other| other < lane),
                lanes(&|other| other <= lane),
                lanes(&|other| other == lane),
                lanes(&|other| other >= lane),
                lanes(&|other| other > lane),
                lanes(&|other| values[other] % 2 == 0),
                lanes(&|other| values[other] % 2 == 0).count_ones(),
                lanes(&|other| other % 2 == lane % 2 && values[other] % 3 == 0),
                u32::from(values.iter().all(|value| *value != 1)),
                u32::from(values.iter().any(|value| value % 5 == 4)),
                values[31 - lane],
                values[lane ^ 5],
                *values.get(lane + 3).unwrap_or(&value),
                *lane.checked_sub(3).map_or(&value, |other| &values[other]),
                values[lane ^ 2],
                32,
                warp as u32,
                float_sum(values.iter().map(|value| *value as f32).collect()).to_bits(),
                values.iter().map(|value| *value as f32).fold(0.0, f32::max).to_bits(),
                !0,
            ];
            let got = &out[(warp * LANES + lane) * ANSWERS..][..ANSWERS];
            for (number, (got, expected)) in got.iter().zip(expected).enumerate() {
                assert_eq!(*got, expected, "answer {number} of lane {lane} of warp {warp}");
            }
            let long = |lane: usize| u64::from(values[lane]) << 32 | lane as u64;
            let expected = [long(9), long(lane ^ 1), long((lane + 1).min(31)), long(lane.saturating_sub(1))];
            assert_eq!(wide[(warp * LANES + lane) * 4..][..4], expected);
            let doubles: f64 = values.iter().map(|value| f64::from(*value)).sum();
            assert_eq!(floats[(warp * LANES + lane) * 2..][..2], [f64::from(values[3]) + 0.5, doubles]);
        }
    }

    let halves = DeviceBuffer::<[u32; 13]>::zeroed(&stream, 64).unwrap();
    unsafe { module.halves(&stream, config(64), &input, halves.cu_deviceptr() as *mut _) }.unwrap();
    for (t, found) in halves.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let (lane, values) = (t % LANES, &values[t / LANES * LANES..][..LANES]);
        let down = values.get(lane + 4).unwrap_or(&values[lane]);
        let up = lane.checked_sub(4).map_or(values[lane], |other| values[other]);
        let shuffled = [values[30 + lane % 2], values[lane ^ 6], *down, up];
        let mates: u32 = (0..LANES).filter(|other| other % 2 == lane % 2).map(|other| 1 << other).sum();
        let ballot = (0..LANES).filter(|other| other % 2 == lane % 2 && values[*other] % 7 < 3).map(|other| 1 << other).sum();
        let voted = [u32::from(lane % 2 == 0), u32::from(lane % 2 == 0), ballot];
        let floats = shuffled.map(|value| (value as f32).to_bits());
        assert_eq!(found[..12], [&[values[lane ^ 2]], &shuffled[..], &floats, &voted].concat(), "lane {lane}");
        // Which of the others run together with a lane is for the hardware to say.
        assert!(found[12] & !mates == 0 && found[12] >> lane & 1 == 1);
    }

    let elections = DeviceBuffer::<[u32; 5]>::zeroed(&stream, 64).unwrap();
    unsafe { module.elections(&stream, config(64), elections.cu_deviceptr() as *mut _) }.unwrap();
    for warp in elections.to_host_vec(&stream).unwrap().chunks(LANES) {
        let ([leader, ..], [_, _, _, of_few, _]) = (warp[0], warp[LANES - 1]);
        assert!(leader < 32 && (20..32).contains(&of_few), "{leader} and {of_few} lead");
        for (lane, found) in warp.iter().enumerate() {
            let few = if lane < 20 { [32, 0] } else { [of_few, u32::from(lane as u32 == of_few)] };
            assert_eq!(found[..], [&[leader, leader, u32::from(lane as u32 == leader)][..], &few].concat(), "lane {lane}");
        }
    }

    for threads in [1, 7, 20, 31, 32] {
        let out = DeviceBuffer::<f32>::zeroed(&stream, 3 * threads).unwrap();
        unsafe { module.tails(&stream, config(threads as u32), out.cu_deviceptr() as *mut f32) }.unwrap();
        let values: Vec<f32> = (0..threads).map(|lane| (lane * lane % 37) as f32).collect();
        let (sum, most) = (values.iter().sum::<f32>(), values.iter().copied().fold(0.0, f32::max));
        for got in out.to_host_vec(&stream).unwrap().chunks(3) {
            assert_eq!(got, [sum, most, 1.0], "{threads} threads");
        }
    }
    println!("SUCCESS: {ANSWERS} answers of 64 lanes");
}
