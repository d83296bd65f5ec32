//! What `core` has no MIR for as it comes is there where it is compiled with the program: searching, parsing, formatting.

use std::{fmt::Write, net::Ipv4Addr, time::Duration};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread};

/// A text of at most 256 bytes.
#[derive(Clone, Copy, DeviceCopy)]
struct Text {
    length: usize,
    bytes: [u8; 256],
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            *self.bytes.get_mut(self.length).ok_or(std::fmt::Error)? = byte;
            self.length += 1;
        }
        Ok(())
    }
}

const LINES: [&str; 6] = [
    "",
    "plain ascii, long enough for the search that looks at two words at a time; ü",
    "größer als 17.25e3 über",
    "-170141183460469231731687303715884105728",
    "192.168.0.254",
    "3.4028234663852886e38",
];

fn describe(line: &str, text: &mut Text) -> std::fmt::Result {
    write!(text, "{} {:?} {:?} ", line.chars().count(), line.find('ü'), line.rfind("er"))?;
    write!(text, "{:?} {:?} {:?} ", line.parse::<i128>().ok(), line.parse::<f32>().ok(), line.parse::<Ipv4Addr>().ok())?;
    let number = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).next();
    write!(text, "{number:10.3?} {:#010x} {:<5}|{:^+7}| ", line.len() * 77, line.contains("als"), line.len() as i8)?;
    write!(text, "{:?} {:e}", Duration::from_micros(line.len() as u64 * 1_000_003), line.len() as f32 / 7.0)
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn describes(texts: *mut Text) {
        let index = thread::threadIdx_x() as usize;
        // SAFETY: there is a text for each thread.
        describe(LINES[index], unsafe { &mut *texts.add(index) }).unwrap();
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    // Formatting calls through pointers, and what it calls may print in turn.
    ctx.set_stack_size(16 << 10).unwrap();
    assert!(ctx.stack_size().unwrap() >= 16 << 10);
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let empty = [Text { length: 0, bytes: [0; 256] }; LINES.len()];
    let texts = DeviceBuffer::from_host(&stream, &empty).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (LINES.len() as u32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: a text for each thread.
    unsafe { module.describes(&stream, config, texts.cu_deviceptr() as *mut Text) }.unwrap();
    for (line, found) in LINES.iter().zip(texts.to_host_vec(&stream).unwrap()) {
        let mut expected = empty[0];
        describe(line, &mut expected).unwrap();
        let [expected, found] = [&expected, &found].map(|text| str::from_utf8(&text.bytes[..text.length]).unwrap());
        assert_eq!(expected, found);
    }
    println!("SUCCESS: {} lines", LINES.len());
}
