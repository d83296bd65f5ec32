//! A pipeline of asynchronous operations: batches of samples are copied to the device, filtered, scaled and copied back, each as a task
//! of tokio on a stream of its own. No thread waits for the device; one batch is given up while it is under way.

use std::{error::Error, process::ExitCode, sync::Arc};

use cuda_async::{
    DeviceOperation,
    device_box::DeviceBox,
    device_operation::{try_value, value, with_context},
    futures::poll,
    reclaim, zip,
};
use cuda_core::{LaunchConfig1D, PreparedLaunch, memory};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_contract, thread};

const SAMPLES: usize = 10_000;
const BATCHES: usize = 24;
const BLOCK: u32 = 256;

#[cuda_module]
mod kernels {
    use super::*;

    /// The mean of each sample and its neighbours.
    #[kernel]
    #[launch_contract(domain = 1, block = (BLOCK, 1, 1), requires = (smooth.len() <= samples.len()))]
    pub fn filter(samples: &[f32], mut smooth: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(element) = smooth.get_mut(index) {
            let neighbours = [i.saturating_sub(1), i, (i + 1).min(samples.len() - 1)];
            *element = neighbours.iter().map(|&at| samples[at]).sum::<f32>() / 3.0;
        }
    }

    /// Every sample times `factor`.
    #[kernel]
    #[launch_contract(domain = 1, block = (BLOCK, 1, 1))]
    pub fn scale(factor: f32, mut samples: DisjointSlice<f32>) {
        if let Some(element) = samples.get_mut(thread::index_1d()) {
            *element *= factor;
        }
    }
}

/// The kernels, and the shape in which each is launched.
struct Pipeline {
    module: kernels::LoadedModule,
    filter: PreparedLaunch<kernels::__filter_CudaKernel>,
    scale: PreparedLaunch<kernels::__scale_CudaKernel>,
}

type Samples = DeviceBox<[f32]>;

/// Memory for so many samples, allocated in the order of the operation's stream.
fn allocate() -> impl DeviceOperation<Output = Samples> {
    with_context(|context| {
        let stream = context.get_cuda_stream().cu_stream();
        // SAFETY: the stream is alive.
        let address = unsafe { memory::malloc_async(stream, SAMPLES * size_of::<f32>()) };
        // SAFETY: the box is the only owner of the memory.
        try_value(address.map(|address| unsafe {
            Samples::from_raw_parts(address, SAMPLES, context.get_device_id())
        }))
    })
}

/// The samples on the device, and on the host, where the copy may still read them.
fn upload(samples: Vec<f32>) -> impl DeviceOperation<Output = (Samples, Vec<f32>)> {
    allocate().and_then_with_context(|context, device: Samples| {
        let stream = context.get_cuda_stream().cu_stream();
        let bytes = size_of_val(&*samples);
        // SAFETY: both hold the samples, and live until the stream has passed the copy.
        let copied = unsafe {
            memory::memcpy_htod_async(device.cu_deviceptr(), samples.as_ptr(), bytes, stream)
        };
        try_value(copied.map(|()| (device, samples)))
    })
}

/// The samples on the host, and on the device, where the copy may still read them.
fn download(device: Samples) -> impl DeviceOperation<Output = (Vec<f32>, Samples)> {
    with_context(move |context| {
        let stream = context.get_cuda_stream().cu_stream();
        let mut samples = vec![0.0f32; device.len()];
        let bytes = size_of_val(&*samples);
        // SAFETY: as above.
        let copied = unsafe {
            memory::memcpy_dtoh_async(samples.as_mut_ptr(), device.cu_deviceptr(), bytes, stream)
        };
        try_value(copied.map(|()| (samples, device)))
    })
}

impl Pipeline {
    fn load() -> Result<Arc<Self>, Box<dyn Error>> {
        // SAFETY: the package's kernels are those above.
        let module = unsafe { kernels::load_async(0) }?;
        let config = LaunchConfig1D::new((SAMPLES as u32).div_ceil(BLOCK), BLOCK, 0);
        let (filter, scale) = (
            module.prepare_filter(config)?,
            module.prepare_scale(config)?,
        );
        Ok(Arc::new(Self {
            module,
            filter,
            scale,
        }))
    }

    /// All that is done with one batch, with the batch itself. Nothing of it runs before it is awaited, and then all of it on one stream.
    fn run(
        self: Arc<Self>,
        samples: Vec<f32>,
        factor: f32,
    ) -> impl DeviceOperation<Output = (Vec<f32>, Vec<f32>)> {
        let this = self.clone();
        zip!(upload(samples), allocate())
            .and_then(move |((samples, host), smooth)| {
                let filter = self
                    .module
                    .filter_async_owned(&self.filter, samples, smooth);
                zip!(try_value(filter).and_then(|filter| filter), value(host))
            })
            .and_then(move |((samples, smooth), host)| {
                let scale = this.module.scale_async_owned(&this.scale, factor, smooth);
                zip!(scale.and_then(download), value((samples, host)))
            })
            // Device memory that is dropped here is freed after the work that uses it. What is the host's is not: the copy from the batch
            // has run only when the result is there.
            .and_then(|((scaled, _), (_, host))| value((scaled, host)))
    }
}

fn batch(number: usize) -> Vec<f32> {
    (0..SAMPLES)
        .map(|i| ((i * (number + 1)) % 97) as f32)
        .collect()
}

fn expected(samples: &[f32], factor: f32) -> impl Iterator<Item = f32> {
    (0..SAMPLES).map(move |i| {
        let neighbours = [i.saturating_sub(1), i, (i + 1).min(SAMPLES - 1)];
        neighbours.iter().map(|&at| samples[at]).sum::<f32>() / 3.0 * factor
    })
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let pipeline = Pipeline::load()?;

    let tasks: Vec<_> = (0..BATCHES)
        .map(|number| {
            tokio::spawn(
                pipeline
                    .clone()
                    .run(batch(number), number as f32)
                    .into_future(),
            )
        })
        .collect();

    // One that is given up when it has begun: what the device still uses of it is kept until it has passed it.
    let mut begun = pipeline.run(batch(0), 1.0).into_future();
    let given_up = usize::from(poll!(&mut begun).is_pending());
    drop(begun);

    for (number, task) in tasks.into_iter().enumerate() {
        let (scaled, _) = task.await??;
        let wrong = expected(&batch(number), number as f32)
            .zip(&scaled)
            .position(|(a, &b)| a != b);
        if let Some(i) = wrong {
            eprintln!("FAILURE: sample {i} of batch {number} is {}", scaled[i]);
            return Ok(ExitCode::FAILURE);
        }
    }

    reclaim::drain();
    println!("SUCCESS: {BATCHES} batches on 2 threads, {given_up} given up");
    Ok(ExitCode::SUCCESS)
}
