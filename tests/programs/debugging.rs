//! Printing, assertions, traps, and what tells tools of a kernel. A launch that fails is one of a child process: nothing works after it.

use std::{
    cell::RefCell,
    env,
    ffi::{CString, c_char, c_int},
    process::{Command, Output, exit},
};

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig, sys};
use cuda_device::{cuda_module, debug, gpu_assert, gpu_printf, kernel, thread};

const THREADS: usize = 40;
/// The exit status of a child whose launch failed with the error that it names.
const FAILED_SO: i32 = 3;

unsafe extern "C" {
    fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

/// Calls a macro with placeholders, the conversions that C has for them, and what is printed by both.
macro_rules! formats {
    ($print:ident) => {
        formats!(@floats $print 0.000_012_345_f64 -2.5_f64 1e100_f64 0.0_f64);
        formats!(@integers $print -42_i32 0_i32 70_000_i32);
    };
    (@floats $print:ident $($value:literal)*) => {$(
        $print!("{:f} {:e} {:E} {:g} {:G}\n", $value, $value, $value, $value, $value);
        $print!("{:+f} {:+e} {:+E} {:+g} {:+G}\n", $value, $value, $value, $value, $value);
        $print!("{: f} {: e} {: E} {: g} {: G}\n", $value, $value, $value, $value, $value);
        $print!("{:-14.2f}|{:-14.2e}|{:-14.2E}|{:-14.2g}|{:-14.2G}|\n", $value, $value, $value, $value, $value);
        $print!("{:#.0f} {:#.0e} {:#.0E} {:#g} {:#G}\n", $value, $value, $value, $value, $value);
        $print!("{:014.3f} {:014.3e} {:014.3E} {:014.3g} {:014.3G}\n", $value, $value, $value, $value, $value);
        $print!("{:12f} {:12e} {:12E} {:12g} {:12G}\n", $value, $value, $value, $value, $value);
        $print!("{:+#016.9G} {:- #16.1E}|\n", $value, $value);
    )*};
    (@integers $print:ident $($value:literal)*) => {$(
        $print!("{:d} {:i} {:u} {:x} {:X} {:o}\n", $value, $value, $value, $value, $value, $value);
        $print!("{:+d} {: i} {:#x} {:#X} {:#o}\n", $value, $value, $value, $value, $value);
        $print!("{:-12d}|{:012d}|{:12.8d}|{:#012x}|{:.10u}\n", $value, $value, $value, $value, $value);
    )*};
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn print(out: *mut i32) {
        let t = thread::threadIdx_x();
        let count = match t % 4 {
            0 => gpu_printf!("line {}: no argument but one\n", t),
            1 => gpu_printf!("line {}: {} {} {:.2} {}\n", t, -1_i64, u64::MAX, 0.3_f32, 'x'),
            2 => gpu_printf!("line {}: {:08x} and {}\n", t, 0xabcd_u32, t == 2),
            _ => gpu_printf!("line {}: {:e}\n", t, f64::from(t)),
        };
        unsafe { *out.add(t as usize) = count };
    }

    #[kernel]
    pub fn print_formatted() {
        formats!(gpu_printf);
    }

    /// Assertions hold, events are counted if somebody counts, and a debugger is called where the host asks for it, which it does not.
    #[kernel]
    pub unsafe fn unharmed(stop: u32, out: *mut i32) {
        let t = thread::threadIdx_x();
        gpu_assert!(t < 64);
        debug::prof_trigger::<0>();
        debug::prof_trigger::<15>();
        if stop != 0 {
            debug::breakpoint();
        }
        gpu_assert!(stop == 0, "nobody asks for a stop");
        unsafe { *out.add(t as usize) += 1 };
    }

    #[kernel]
    pub unsafe fn assert(limit: u32) {
        gpu_assert!(thread::threadIdx_x() < limit, "a thread too many");
    }

    #[kernel]
    pub unsafe fn trap(limit: u32, out: *mut i32) {
        if thread::threadIdx_x() >= limit {
            debug::trap();
        }
        unsafe { *out = 1 };
    }
}

/// What a child does, by the name of a kernel.
fn launch(kernel: &str) -> Result<Vec<i32>, DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let out = DeviceBuffer::<i32>::zeroed(&stream, THREADS)?;
    let address = out.cu_deviceptr() as *mut i32;
    match kernel {
        "print_formatted" => {
            let one = LaunchConfig { block_dim: (1, 1, 1), ..config };
            unsafe { module.print_formatted(&stream, one) }?;
            stream.synchronize()?;
            exit(0)
        }
        "print" => unsafe { module.print(&stream, config, address) }?,
        "unharmed" => unsafe { module.unharmed(&stream, config, 0, address) }?,
        "assert" => unsafe { module.assert(&stream, config, THREADS as u32 - 1) }?,
        "trap" => unsafe { module.trap(&stream, config, THREADS as u32 - 1, address) }?,
        _ => unreachable!("no such kernel"),
    }
    out.to_host_vec(&stream)
}

fn child(kernel: &str) -> Output {
    Command::new(env::current_exe().unwrap()).arg(kernel).output().unwrap()
}

/// What `print` prints, in the order of threads.
fn printed() -> Vec<String> {
    let line = |t: usize| match t % 4 {
        0 => format!("line {t}: no argument but one"),
        1 => format!("line {t}: -1 18446744073709551615 0.30 x"),
        2 => format!("line {t}: 0000abcd and {}", i32::from(t == 2)),
        _ => format!(
            "line {t}: {}.{:06}e+{:02}",
            if t < 10 { t } else { t / 10 },
            if t < 10 { 0 } else { t % 10 * 100_000 },
            usize::from(t >= 10)
        ),
    };
    (0..THREADS).map(line).collect()
}

/// What the host's C library prints for [`formats`].
fn printed_by_c() -> String {
    let text = RefCell::new(String::new());
    macro_rules! print_by_c {
        ($format:literal, $($value:expr),*) => {{
            let format = CString::new($format.replace("{:", "%").replace('}', "")).unwrap();
            let mut buffer = [0_u8; 1024];
            // SAFETY: the values are of the types that the conversions ask for.
            let length = unsafe { snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), $($value),*) };
            text.borrow_mut().push_str(std::str::from_utf8(&buffer[..length as usize]).unwrap());
        }};
    }
    formats!(print_by_c);
    text.into_inner()
}

fn main() {
    if let Some(kernel) = env::args().nth(1) {
        let expected: &[_] = match kernel.as_str() {
            "assert" => &[sys::cudaError_enum_CUDA_ERROR_ASSERT],
            // Drivers call it the one or the other.
            "trap" => &[sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED, sys::cudaError_enum_CUDA_ERROR_ILLEGAL_INSTRUCTION],
            _ => &[],
        };
        match launch(&kernel) {
            Err(error) if expected.contains(&error.0) => exit(FAILED_SO),
            Err(error) => panic!("{error}"),
            Ok(out) => assert_eq!(out, (0..THREADS).map(|t| [1, 5, 3, 2][t % 4]).collect::<Vec<_>>()),
        }
        return;
    }

    let done = child("print");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut lines: Vec<String> = String::from_utf8(done.stdout).unwrap().lines().map(String::from).collect();
    lines.sort_by_key(|line| line.split([' ', ':']).nth(1).and_then(|t| t.parse::<usize>().ok()));
    assert_eq!(lines, printed());

    let done = child("print_formatted");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let (printed, expected) = (String::from_utf8(done.stdout).unwrap(), printed_by_c());
    assert!(printed.lines().eq(expected.lines()), "got\n{printed}expected\n{expected}");

    assert_eq!(launch("unharmed").unwrap(), [1; THREADS]);

    let done = child("assert");
    let told = [done.stdout, done.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert_eq!(done.status.code(), Some(FAILED_SO), "{told}");
    assert!(told.contains("a thread too many") && told.contains(concat!(file!(), ":")), "{told}");

    let done = child("trap");
    assert_eq!(done.status.code(), Some(FAILED_SO), "{}", String::from_utf8_lossy(&done.stderr));
    println!("SUCCESS: {THREADS} lines printed, one assertion and one trap");
}
