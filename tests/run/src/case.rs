//! What a case is, and how its two runs are compared.

use std::{
    any::Any,
    env,
    error::Error,
    fmt::{Debug, Write},
    panic::{self, AssertUnwindSafe},
    process::{Command, ExitCode},
    sync::Arc,
};

use cuda_core::{CudaContext, CudaModule, CudaStream, DeviceBuffer, DriverError, LaunchConfig};

use crate::outcome::agree;
pub use crate::{edges::Edges, outcome::Outcome};

/// A topic's name, the cases of it that never panic, and those that may.
pub type Topic = (&'static str, &'static [Case], &'static [Case]);

/// The most inputs that a case is run with.
const MOST: usize = 3000;

/// A function without its types, so that comparing is compiled once.
pub struct Case {
    pub name: &'static str,
    pub inputs: usize,
    entry: Option<fn() -> &'static str>,
    signature: &'static Signature,
    input: unsafe fn(usize, *mut u8),
    native: unsafe fn(*const u8, *mut u8),
}

struct Signature {
    input_size: usize,
    output_size: usize,
    show_input: unsafe fn(*const u8, &mut String),
    show_output: unsafe fn(*const u8, &mut String),
}

struct Typed<Input, Output>(Input, Output);

impl<Input: Debug, Output: Outcome> Typed<Input, Output> {
    const SIGNATURE: Signature = Signature {
        input_size: size_of::<Input>(),
        output_size: size_of::<Output>(),
        show_input: |at, text| {
            // SAFETY: the address of an input.
            let _ = write!(text, "{:?}", unsafe { &*at.cast::<Input>() });
        },
        // SAFETY: the address of an output.
        show_output: |at, text| unsafe { Output::show(at.cast(), text) },
    };
}

impl Case {
    /// `native` reads an `Input` and writes an `Output`; `input` writes one of the `inputs`.
    pub const fn new<Input: Debug + Edges, Output: Outcome>(
        name: &'static str,
        inputs: usize,
        input: unsafe fn(usize, *mut u8),
        native: unsafe fn(*const u8, *mut u8),
    ) -> Self {
        Self { name, inputs, entry: None, signature: &Typed::<Input, Output>::SIGNATURE, input, native }
    }
}

impl Case {
    /// Says what the kernel is called, where it has not the case's name.
    pub const fn with_entry(self, entry: fn() -> &'static str) -> Self {
        Self { entry: Some(entry), ..self }
    }

    /// Writes the inputs and returns what comes out natively, or how it panics.
    fn native(&self, indices: impl Iterator<Item = usize>, inputs: &mut Memory) -> Vec<Result<String, String>> {
        let mut result = Memory::zeroed(self.signature.output_size);
        let run = |(number, index)| {
            let input = inputs.at(number * self.signature.input_size);
            panic::catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: memory for an input, and memory for an output.
                unsafe {
                    (self.input)(index, input);
                    (self.native)(input, result.at(0));
                }
                self.output_shown(&mut result, 0)
            }))
            .map_err(|panic| format!("panics ({})", message(&*panic)))
        };
        indices.enumerate().map(run).collect()
    }

    fn input_shown(&self, inputs: &mut Memory, number: usize) -> String {
        shown(self.signature.show_input, inputs.at(number * self.signature.input_size))
    }

    fn output_shown(&self, outputs: &mut Memory, number: usize) -> String {
        shown(self.signature.show_output, outputs.at(number * self.signature.output_size))
    }
}

/// Writes an argument tuple of the edges.
///
/// # Safety
///
/// `to` is the address of memory for an `Input`.
pub unsafe fn edge<Input: Edges>(index: usize, to: *mut u8) {
    // SAFETY: passed on.
    unsafe { to.cast::<Input>().write(Input::edge(index)) }
}

/// Makes, of each function, the kernel that calls it, and the table of them all.
///
/// The function never panics: it is run for all combinations of its arguments' edges in one launch.
#[macro_export]
macro_rules! cases {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $result:ty $body:block)*) => {
        $($crate::kernel! { $(#[$attribute])* fn $name($($argument: $kind),*) -> $result $body })*
        pub const CASES: &[$crate::case::Case] = &[$(
            $crate::case::Case::new::<($($kind,)*), $result>(
                stringify!($name),
                <($($kind,)*) as $crate::edges::Edges>::COUNT,
                $crate::case::edge::<($($kind,)*)>,
                $name::native,
            ),
        )*];
    };
}

/// As `cases`, of functions that may panic for the inputs that stand after them: then the device has to trap.
#[macro_export]
macro_rules! traps {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $result:ty $body:block [$($input:expr),* $(,)?])*) => {
        $($crate::kernel! { $(#[$attribute])* fn $name($($argument: $kind),*) -> $result $body })*
        pub const TRAPS: &[$crate::case::Case] = &[$(
            $crate::case::Case::new::<($($kind,)*), $result>(
                stringify!($name),
                [$(stringify!($input)),*].len(),
                |index, to| {
                    let inputs: &[($($kind,)*)] = &[$($input),*];
                    // SAFETY: memory for an input.
                    unsafe { to.cast::<($($kind,)*)>().write(inputs[index]) }
                },
                $name::native,
            ),
        )*];
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! kernel {
    ($(#[$attribute:meta])* fn $name:ident($($argument:ident: $kind:ty),*) -> $result:ty $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$attribute])*
            #[inline]
            fn case($($argument: $kind),*) -> $result $body

            /// # Safety
            ///
            /// The addresses are of an input and of memory for an output.
            #[inline(never)]
            pub unsafe fn native(input: *const u8, output: *mut u8) {
                // SAFETY: passed on.
                unsafe {
                    let ($($argument,)*) = input.cast::<($($kind,)*)>().read();
                    output.cast::<$result>().write(case($($argument),*));
                }
            }

            /// # Safety
            ///
            /// Both addresses are of `count` elements.
            #[cuda_device::kernel]
            pub unsafe fn $name(inputs: *const ($($kind,)*), results: *mut $result, count: usize) {
                let index = cuda_device::index_2d_col();
                if index < count {
                    // SAFETY: in bounds, and no other thread has this index.
                    unsafe {
                        let ($($argument,)*) = inputs.add(index).read();
                        results.add(index).write(case($($argument),*));
                    }
                }
            }
        }
    };
}

/// Declares the modules of these topics, each with its `CASES` and `TRAPS`, and the table of them all.
#[macro_export]
macro_rules! topics {
    ($($name:ident)*) => {
        $(mod $name;)*
        pub const TOPICS: &[$crate::case::Topic] = &[$((stringify!($name), $name::CASES, $name::TRAPS)),*];
    };
}

pub use {cases, traps};

/// Memory for several values of one type, aligned for any of them.
struct Memory(Vec<u128>);

impl Memory {
    fn zeroed(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(16).max(1)])
    }

    fn at(&mut self, offset: usize) -> *mut u8 {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(offset)
    }
}

/// The device with the program's kernels.
struct Device {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Device {
    fn new() -> Result<Self, Box<dyn Error>> {
        let context = CudaContext::new(0)?;
        let module = cuda_host::load_all_ptx_bundles_merged(&context)?;
        Ok(Self { stream: context.default_stream(), module })
    }

    /// Runs a kernel over `count` inputs and returns the results' memory, which was zero before.
    fn run(&self, case: &Case, inputs: &mut Memory, count: usize) -> Result<Memory, DriverError> {
        let taken = DeviceBuffer::from_host(&self.stream, &inputs.0)?;
        let mut results = Memory::zeroed(count * case.signature.output_size);
        let given = DeviceBuffer::<u128>::zeroed(&self.stream, results.0.len())?;
        let function = self.module.load_function(case.entry.map_or(case.name, |entry| entry()))?;
        let (mut first, mut second, mut third) = (taken.cu_deviceptr(), given.cu_deviceptr(), count);
        let LaunchConfig { grid_dim, block_dim, .. } = LaunchConfig::for_num_elems(count as u32);
        let mut parameters = [(&raw mut first).cast(), (&raw mut second).cast(), (&raw mut third).cast()];
        // SAFETY: the kernel takes two addresses and a count, and both buffers are as long as it says.
        unsafe { cuda_core::launch_kernel_on_stream(&function, grid_dim, block_dim, 0, &self.stream, &mut parameters) }?;
        given.copy_to_host(&self.stream, &mut results.0)?;
        Ok(results)
    }

    /// Compares native and device for every input. The error tells of the first input that differs.
    fn compare(&self, case: &Case) -> Result<(), String> {
        let count = case.inputs.min(MOST);
        // A prime step picks from all of them, where there are more.
        let picked = (0..count).map(|number| if case.inputs > MOST { number * 104_729 % case.inputs } else { number });
        let mut inputs = Memory::zeroed(count * case.signature.input_size);
        let expected = case.native(picked, &mut inputs);
        // A launch in which one thread traps says nothing of the others.
        if let Some((number, Err(panic))) = expected.iter().enumerate().find(|(_, expected)| expected.is_err()) {
            return Err(format!("{}: native {panic}: it belongs to the traps", case.input_shown(&mut inputs, number)));
        }
        let mut results = self.run(case, &mut inputs, count).map_err(|error| format!(": {error}"))?;
        for (number, expected) in expected.into_iter().flatten().enumerate() {
            let found = case.output_shown(&mut results, number);
            if !agree(&found, &expected) {
                return Err(format!("{}: native {expected}, device {found}", case.input_shown(&mut inputs, number)));
            }
        }
        Ok(())
    }

    /// Compares for one input; where native panics, the device has to trap.
    fn compare_trap(&self, trap: &Case, input: usize) -> Result<(), String> {
        let mut inputs = Memory::zeroed(trap.signature.input_size);
        let expected = trap.native(std::iter::once(input), &mut inputs).remove(0);
        let found = self.run(trap, &mut inputs, 1).map(|mut results| trap.output_shown(&mut results, 0));
        match (expected, found) {
            (Ok(expected), Ok(found)) if agree(&expected, &found) => Ok(()),
            (Err(_), Err(_)) => Ok(()),
            (expected, found) => {
                let found = found.unwrap_or_else(|error| error.to_string());
                Err(format!("{}: native {}, device {found}", trap.input_shown(&mut inputs, 0), expected.unwrap_or_else(|panic| panic)))
            }
        }
    }
}

fn shown(show: unsafe fn(*const u8, &mut String), at: *const u8) -> String {
    let mut text = String::new();
    // SAFETY: the address of what `show` shows.
    unsafe { show(at, &mut text) };
    text
}

fn message(panic: &dyn Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Runs every input of a trap in a process of its own.
fn compare_traps(topic: &str, trap: &Case) -> Result<(), String> {
    for input in 0..trap.inputs {
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let done =
            Command::new(program).args(["trap", topic, trap.name, &input.to_string()]).output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            let talk = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{} {}", String::from_utf8_lossy(&done.stdout).trim_end(), talk.trim_end()));
        }
    }
    Ok(())
}

/// Runs the topics that the arguments name, or all, and prints a line for each case.
///
/// # Errors
///
/// Where there is no device, or no such trap.
pub fn run(topics: &[Topic]) -> Result<ExitCode, Box<dyn Error>> {
    // What panics here is told in the lines.
    panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [word, topic, name, input] = &arguments[..]
        && word == "trap"
    {
        return run_one(topics, topic, name, input.parse()?);
    }
    let device = Device::new()?;
    let mut exit = ExitCode::SUCCESS;
    let mut report = |topic: &str, name: &str, found: Result<(), String>| match found {
        Ok(()) => println!("ok {topic}::{name}"),
        Err(difference) => {
            println!("FAIL {topic}::{name}{difference}");
            exit = ExitCode::FAILURE;
        }
    };
    for (topic, cases, traps) in topics {
        if !arguments.is_empty() && !arguments.iter().any(|wanted| wanted == topic) {
            continue;
        }
        for case in *cases {
            report(topic, case.name, device.compare(case));
        }
        for trap in *traps {
            report(topic, trap.name, compare_traps(topic, trap));
        }
    }
    Ok(exit)
}

/// Runs one input of a trap; prints what differs.
fn run_one(topics: &[Topic], topic: &str, name: &str, input: usize) -> Result<ExitCode, Box<dyn Error>> {
    let device = Device::new()?;
    let (_, _, traps) = topics.iter().find(|(found, ..)| *found == topic).ok_or("no such topic")?;
    let trap = traps.iter().find(|trap| trap.name == name).ok_or("no such trap")?;
    let found = device.compare_trap(trap, input);
    if let Err(difference) = &found {
        println!("{difference}");
    }
    // The context is gone after a trap; nothing is to be freed in it.
    std::process::exit(i32::from(found.is_err()))
}
