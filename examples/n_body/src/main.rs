//! Moves bodies by the gravity of all others: a block reads their positions tile by tile, and each thread
//! adds up what they do to its own body.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, thread};

/// Where a body is, and how heavy. Its alignment lets a thread read all of it at once.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
pub struct Body {
    position: [f32; 3],
    mass: f32,
}

/// Threads of a block, and bodies of a tile.
const BLOCK: usize = 128;
/// Added to the square of each distance, so that bodies that meet do not fly apart.
const SOFTENING: f32 = 0.01;
const TIME_STEP: f32 = 0.05;

#[cuda_module]
mod kernels {
    use super::*;

    /// Launched in one dimension with blocks of `BLOCK` threads; all slices have one length.
    #[kernel]
    pub fn step(
        bodies: &[Body],
        mut moved: DisjointSlice<Body>,
        mut velocities: DisjointSlice<[f32; 3]>,
    ) {
        static mut TILE: SharedArray<Body, BLOCK> = SharedArray::UNINIT;
        const NOTHING: Body = Body {
            position: [0.0; 3],
            mass: 0.0,
        };

        let thread = thread::threadIdx_x() as usize;
        let i = thread::index_1d().get();
        let mut body = bodies.get(i).copied().unwrap_or(NOTHING);

        // Threads without a body stay: the others need what they read into the tile, and the barriers
        // wait for all of them.
        let mut acceleration = [0.0; 3];
        for start in (0..bodies.len()).step_by(BLOCK) {
            // SAFETY: every thread writes its own element.
            unsafe { TILE[thread] = bodies.get(start + thread).copied().unwrap_or(NOTHING) };
            thread::sync_threads();
            for i in 0..BLOCK {
                // SAFETY: nobody writes between the two barriers.
                let other = unsafe { TILE[i] };
                let away: [f32; 3] =
                    core::array::from_fn(|axis| other.position[axis] - body.position[axis]);
                let square = away.iter().fold(SOFTENING, |sum, x| sum + x * x);
                let pull = other.mass / (square * square.sqrt());
                for (sum, x) in acceleration.iter_mut().zip(&away) {
                    *sum += pull * x;
                }
            }
            thread::sync_threads();
        }

        let (Some(moved), Some(velocity)) = (
            moved.get_mut(thread::index_1d()),
            velocities.get_mut(thread::index_1d()),
        ) else {
            return;
        };
        for axis in 0..3 {
            velocity[axis] += TIME_STEP * acceleration[axis];
            body.position[axis] += TIME_STEP * velocity[axis];
        }
        *moved = body;
    }
}

/// The last block and the last tile are not full.
const N: usize = 500;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let bodies: Vec<Body> = (0..N)
        .map(|i| Body {
            position: [7919, 6007, 4787].map(|factor| (i * factor % 1009) as f32 / 1009.0),
            mass: 1.0 + (i % 5) as f32,
        })
        .collect();
    let velocities: Vec<[f32; 3]> = (0..N).map(|i| [0.0, (i % 3) as f32 - 1.0, 0.5]).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let bodies_device = DeviceBuffer::from_host(&stream, &bodies)?;
    let mut moved = DeviceBuffer::<Body>::zeroed(&stream, N)?;
    let mut velocities_device = DeviceBuffer::from_host(&stream, &velocities)?;
    let config = LaunchConfig {
        grid_dim: (N.div_ceil(BLOCK) as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: one-dimensional, with blocks of BLOCK threads, and N elements in each buffer.
    unsafe {
        module.step(
            &stream,
            config,
            &bodies_device,
            &mut moved,
            &mut velocities_device,
        )
    }?;

    for (i, moved) in moved.to_host_vec(&stream)?.iter().enumerate() {
        let (expected, bound) = expected(&bodies, velocities[i], i);
        for axis in 0..3 {
            let (got, expected) = (f64::from(moved.position[axis]), expected[axis]);
            if (got - expected).abs() > bound {
                eprintln!("FAILURE: body {i}, axis {axis}: at {got}, expected {expected}");
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    println!("SUCCESS: {N} bodies");
    Ok(ExitCode::SUCCESS)
}

/// Where body `i` is after one step, in `f64`, and how far `f32` may be off.
fn expected(bodies: &[Body], velocity: [f32; 3], i: usize) -> ([f64; 3], f64) {
    let mut acceleration = [0.0; 3];
    let mut magnitude = 0.0;
    for other in bodies {
        let away: [f64; 3] = std::array::from_fn(|axis| {
            f64::from(other.position[axis]) - f64::from(bodies[i].position[axis])
        });
        let square = f64::from(SOFTENING) + away.iter().map(|x| x * x).sum::<f64>();
        let pull = f64::from(other.mass) / (square * square.sqrt());
        for (sum, x) in acceleration.iter_mut().zip(away) {
            *sum += pull * x;
        }
        magnitude += pull * square.sqrt();
    }
    let step = f64::from(TIME_STEP);
    let position = std::array::from_fn(|axis| {
        f64::from(bodies[i].position[axis])
            + step * (f64::from(velocity[axis]) + step * acceleration[axis])
    });
    // Each of N additions rounds once.
    (
        position,
        (step * step * magnitude * N as f64 + 2.0) / f64::from(1 << 24),
    )
}
