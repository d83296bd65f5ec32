//! What fragments of `macro_rules!` bring into the macros: each of a launch's keys and arguments, kernels written by a macro, formats and PTX.

use std::{process::Command, sync::Arc};

use cuda_async::device_operation::DeviceOperation;
use cuda_core::{CudaContext, CudaModule, CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, Uniform, cuda_module, gpu_assert, gpu_printf, kernel, launch_bounds, ptx_asm, thread};
use cuda_host::{cuda_launch, cuda_launch_async};

const THREADS: usize = 32;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(value: u32, mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        if let Some(out) = out.get_mut(index) {
            *out = value;
        }
    }

    #[kernel]
    pub fn map<T: Copy, F: Fn(T) -> T + Copy>(function: F, input: &[T], mut out: DisjointSlice<T>) {
        if let Some((out, index)) = out.get_mut_indexed() {
            *out = function(input[index.get()]);
        }
    }
}

/// A kernel whose parts all are fragments.
macro_rules! kernel {
    ($visibility:vis $name:ident($value:ident: $element:ty, $input:ident: &$slice:ty, $out:ident: $disjoint:ty) by $index:path, $threads:expr, $body:expr) => {
        #[launch_bounds($threads)]
        #[kernel]
        $visibility fn $name($value: Uniform<$element>, $input: &$slice, mut $out: $disjoint) {
            let index = $index();
            let i = index.get();
            assert!(2 * $threads == 64);
            gpu_assert!(2 * $threads == 64);
            if let Some(out) = $out.get_mut(index) {
                *out = $threads as $element / (2 * $threads) as $element * 2.0 * $body($value.get(), $input[i]);
            }
        }
    };
}

/// The same in a module, with the launcher that the module has.
macro_rules! module {
    ($name:ident, $kernel:ident, $element:ty, $disjoint:ty) => {
        #[cuda_module]
        mod $name {
            use super::*;

            #[kernel($element)]
            pub fn $kernel<T: Copy>(value: T, mut out: DisjointSlice<T>) {
                if let Some((out, _)) = out.get_mut_indexed() {
                    *out = value;
                }
            }

            #[kernel]
            pub fn doubled(value: Uniform<$element>, mut out: $disjoint) {
                if let Some((out, _)) = out.get_mut_indexed() {
                    *out = value.get() + value.get();
                }
            }
        }
    };
}

kernel!(pub weigh(factor: f32, input: &[f32], out: DisjointSlice<f32>) by thread::index_1d, 16 + 16, |factor: f32, x: f32| factor * x);
module!(written, put, u16, DisjointSlice<u16>);

macro_rules! say {
    ($format:literal, $other:expr, $condition:expr, $message:literal) => {
        gpu_assert!($condition, $message);
        gpu_printf!($format, 7);
        gpu_printf!($other, 8)
    };
}

macro_rules! increment {
    ($template:literal, $result:literal, $place:expr, $operand:expr, $value:expr, $($option:ident),*) => {
        unsafe { ptx_asm!($template, out($result) $place, in("r") $operand, in("r") 1, in("r") $value, options($($option),*)) }
    };
}

#[kernel]
pub fn speak(mut out: DisjointSlice<u32>) {
    if let Some((element, index)) = out.get_mut_indexed() {
        say!("one {}\n", "other {}\n", index.get() == 0, "there is one thread");
        let next: u32;
        increment!("prmt.b32 %0, %1, %2, %3;", "=r", next, 8, 0x5410, register_only, may_diverge);
        *element = next;
    }
}

macro_rules! launch {
    ($kernel:path, $stream:expr, $module:expr, $config:expr, [$($argument:expr),*]) => {
        unsafe { cuda_launch! { kernel: $kernel, stream: $stream, module: $module, config: $config, args: [$($argument),*] } }.unwrap()
    };
}

macro_rules! launch_with {
    ($key:ident: $kernel:ty, $arguments:expr, $($rest:tt)*) => {
        unsafe { cuda_launch! { $key: $kernel, args: $arguments, $($rest)* } }.unwrap()
    };
}

macro_rules! launch_named {
    ($kernel:ident, $wrapper:ident($buffer:expr), $value:literal, $cluster:expr, $cooperative:expr, $stream:expr, $module:expr, $config:expr) => {
        unsafe {
            cuda_launch! {
                args: [$value, $wrapper($buffer)], cooperative: $cooperative, cluster_dim: $cluster,
                kernel: kernels::$kernel, stream: $stream, module: $module, config: $config
            }
        }
        .unwrap()
    };
}

macro_rules! launch_async {
    ($kernel:path, $module:expr, $config:expr, $arguments:expr) => {
        unsafe {
            cuda_launch_async! { kernel: $kernel, module: $module, config: $config, args: $arguments }
        }
    };
}

macro_rules! call {
    ($module:ident.$method:ident::<$element:ty, _>, $stream:expr, $closure:expr, $input:expr, $out:expr) => {
        unsafe { $module.$method::<$element, _>($stream, config(), $closure, $input, $out) }.unwrap()
    };
}

fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 }
}

fn launches(stream: &Arc<CudaStream>, module: &Arc<CudaModule>) {
    let numbers: Vec<f32> = (0..THREADS).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_host(stream, &numbers).unwrap();
    let mut floats = DeviceBuffer::<f32>::zeroed(stream, THREADS).unwrap();
    let mut words = DeviceBuffer::<u32>::zeroed(stream, THREADS).unwrap();
    let expect = |factor: f32| numbers.iter().map(|x| factor * x).collect::<Vec<_>>();

    launch!(kernels::fill, stream, module, config(), [4 + 5, slice_mut(words)]);
    assert_eq!(words.to_host_vec(stream).unwrap(), [9; THREADS]);
    launch_with!(kernel: kernels::fill, [10, slice_mut(words)], stream: stream, module: module, config: config());
    assert_eq!(words.to_host_vec(stream).unwrap(), [10; THREADS]);
    launch_named!(fill, slice_mut(words), 11, (1, 1, 1), 1 > 0, stream, module, config());
    assert_eq!(words.to_host_vec(stream).unwrap(), [11; THREADS]);

    let factor = 3.0;
    launch!(kernels::map::<f32, _>, stream, module, config(), [move |x| factor * x, slice(input), slice_mut(floats)]);
    assert_eq!(floats.to_host_vec(stream).unwrap(), expect(3.0));
    launch!(kernels::map<f32, _>, stream, module, config(), [move |x: f32| x * -factor, slice(input), slice_mut(floats)]);
    assert_eq!(floats.to_host_vec(stream).unwrap(), expect(-3.0));
    launch_with!(kernel: kernels::map<f32, _>, [|x| 4.0 * x, slice(input), slice_mut(floats)], stream: stream, module: module, config: config());
    assert_eq!(floats.to_host_vec(stream).unwrap(), expect(4.0));
    launch!(weigh, stream, module, config(), [5.0_f32, slice(input), slice_mut(floats)]);
    assert_eq!(floats.to_host_vec(stream).unwrap(), expect(5.0));

    launch_async!(kernels::fill, module, config(), [12, slice_mut(words)]).sync_on(stream).unwrap();
    assert_eq!(words.to_host_vec(stream).unwrap(), [12; THREADS]);
    launch_async!(kernels::map::<f32, _>, module, config(), [|x| 6.0 * x, slice(input), slice_mut(floats)]).sync_on(stream).unwrap();
    assert_eq!(floats.to_host_vec(stream).unwrap(), expect(6.0));
}

fn methods(stream: &Arc<CudaStream>, context: &Arc<CudaContext>) {
    let typed_module = kernels::load(context).unwrap();
    let numbers: Vec<f32> = (0..THREADS).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_host(stream, &numbers).unwrap();
    let mut floats = DeviceBuffer::<f32>::zeroed(stream, THREADS).unwrap();
    let factor = 7.0;
    call!(typed_module.map::<f32, _>, stream, move |x: f32| factor * x, &input, &mut floats);
    assert_eq!(floats.to_host_vec(stream).unwrap(), numbers.iter().map(|x| 7.0 * x).collect::<Vec<_>>());

    let written = written::load(context).unwrap();
    let mut halves = DeviceBuffer::<u16>::zeroed(stream, THREADS).unwrap();
    unsafe { written.put_u16(stream, config(), 8, &mut halves) }.unwrap();
    assert_eq!(halves.to_host_vec(stream).unwrap(), [8; THREADS]);
    unsafe { written.doubled(stream, config(), 9, &mut halves) }.unwrap();
    assert_eq!(halves.to_host_vec(stream).unwrap(), [18; THREADS]);
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = cuda_host::load_all_ptx_bundles_merged(&context).unwrap();
    if std::env::args().nth(1).is_some() {
        let mut out = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        launch!(speak, stream, module, config, [slice_mut(out)]);
        assert_eq!(out.to_host_vec(&stream).unwrap(), [8 | 1 << 16]);
        return;
    }
    let done = Command::new(std::env::current_exe().unwrap()).arg("speak").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "one 7\nother 8\n");
    launches(&stream, &module);
    methods(&stream, &context);
    println!("SUCCESS: what fragments bring is launched");
}
