//! Asserts in a kernel. An assertion that fails ends the launch, and no call into the device works any
//! more in this process: the program shows that in a child of itself.

use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig, sys};
use cuda_device::{DisjointSlice, cuda_module, gpu_assert, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn divide(numbers: &[u32], divisor: u32, mut quotients: DisjointSlice<u32>) {
        if let Some((quotient, index)) = quotients.get_mut_indexed() {
            let number = numbers[index.get()];
            gpu_assert!(number.is_multiple_of(divisor), "there is a remainder");
            *quotient = number / divisor;
        }
    }
}

/// The argument that makes this program its own child.
const CHILD: &str = "fail";
/// The exit status of a child that got the error of a failed assertion.
const CHILD_SAW_IT: u8 = 3;
const ASSERTION_FAILED: DriverError = DriverError(sys::cudaError_enum_CUDA_ERROR_ASSERT);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let numbers: Vec<u32> = (0..100).map(|i| 6 * i).collect();
    if env::args().any(|argument| argument == CHILD) {
        return match divide(&numbers, 4) {
            Err(error) if error.downcast_ref() == Some(&ASSERTION_FAILED) => {
                println!("{error}");
                Ok(ExitCode::from(CHILD_SAW_IT))
            }
            other => other.map(|_| ExitCode::SUCCESS),
        };
    }

    let quotients = divide(&numbers, 3)?;
    if !quotients.into_iter().eq((0..100).map(|i| 2 * i)) {
        eprintln!("FAILURE: wrong quotients");
        return Ok(ExitCode::FAILURE);
    }

    let child = Command::new(env::current_exe()?).arg(CHILD).output()?;
    let told = [child.stdout, child.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    if child.status.code() != Some(CHILD_SAW_IT.into()) {
        eprintln!("FAILURE: the child ended with {}:\n{told}", child.status);
        return Ok(ExitCode::FAILURE);
    }
    let Some(message) = told.lines().find(|line| names_the_assertion(line)) else {
        eprintln!("FAILURE: no message names the assertion:\n{told}");
        return Ok(ExitCode::FAILURE);
    };
    println!("The child said: {message}");
    println!("SUCCESS: one assertion held, one failed");
    Ok(ExitCode::SUCCESS)
}

/// Divides numbers on the device, which asserts that there are no remainders.
fn divide(numbers: &[u32], divisor: u32) -> Result<Vec<u32>, Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let numbers = DeviceBuffer::from_host(&stream, numbers)?;
    let mut quotients = DeviceBuffer::<u32>::zeroed(&stream, numbers.len())?;
    // SAFETY: one-dimensional, with a number for each quotient.
    unsafe {
        module.divide(
            &stream,
            LaunchConfig::for_num_elems(100),
            &numbers,
            divisor,
            &mut quotients,
        )
    }?;
    Ok(quotients.to_host_vec(&stream)?)
}

/// Whether a message has the text of the assertion, and the line where it stands.
fn names_the_assertion(message: &str) -> bool {
    let Some((_, place)) = message.split_once(concat!(file!(), ":")) else {
        return false;
    };
    let line = place
        .split(':')
        .next()
        .and_then(|number| number.parse::<usize>().ok());
    let source = line.and_then(|number| include_str!("main.rs").lines().nth(number - 1));
    source.is_some_and(|source| source.contains("gpu_assert!"))
        && place.contains("there is a remainder")
}
