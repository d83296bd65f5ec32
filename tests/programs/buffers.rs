//! What a kernel writes to a buffer the host reads as the same value: enums with niches and tags, bytes between fields, wide numbers.

use std::num::{NonZeroI16, NonZeroU32};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Letter(char),
    Flag(bool, u8),
    Number { low: u16, high: u64 },
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i8)]
enum Sign {
    Minus = -5,
    Zero = 0,
    Plus = 100,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    option: Option<NonZeroU32>,
    small: u8,
    token: Token,
    sign: Option<Sign>,
    deep: Option<Option<bool>>,
    wide: i128,
    result: Result<NonZeroI16, u8>,
    order: std::cmp::Ordering,
    nothing: [(); 3],
}

// SAFETY: plain values without addresses; the host makes what it copies to the device.
unsafe impl DeviceCopy for Row {}

impl Row {
    fn new(i: u32) -> Self {
        Self {
            option: NonZeroU32::new(i % 3),
            small: i as u8,
            token: match i % 4 {
                0 => Token::Letter('ß'),
                1 => Token::Flag(i & 8 == 0, i as u8),
                2 => Token::Number { low: i as u16, high: u64::from(i) << 40 },
                _ => Token::End,
            },
            sign: [Some(Sign::Minus), Some(Sign::Zero), Some(Sign::Plus), None][i as usize / 4 % 4],
            deep: [None, Some(None), Some(Some(false)), Some(Some(true))][i as usize / 2 % 4],
            wide: -i128::from(i) << 90,
            result: NonZeroI16::new(i as i16 % 5 - 2).ok_or(i as u8),
            order: (i % 7).cmp(&3),
            nothing: [(); 3],
        }
    }

    /// Changes every field, each by what it is.
    fn turn(&mut self) {
        self.option = match self.option.take() {
            None => Some(NonZeroU32::MIN),
            Some(number) => NonZeroU32::new(number.get() - 1),
        };
        self.token = match self.token {
            Token::Letter(letter) => Token::Flag(letter > 'z', 3),
            Token::Flag(true, number) => Token::Number { low: 1, high: number.into() },
            Token::Flag(false, _) => Token::End,
            Token::Number { high, .. } => Token::Letter(char::from(high as u8)),
            Token::End => Token::Letter('x'),
        };
        self.sign = match self.sign {
            Some(Sign::Minus) => None,
            Some(Sign::Zero) => Some(Sign::Minus),
            Some(Sign::Plus) => Some(Sign::Zero),
            None => Some(Sign::Plus),
        };
        self.deep = self.deep.map(|inner| inner.map(|truth| !truth));
        self.wide = self.wide.wrapping_neg();
        self.result = self.result.map(|number| number.saturating_abs()).map_err(|number| number ^ 1);
        self.order = self.order.reverse();
    }
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn make(mut made: DisjointSlice<Row>, mut turned: DisjointSlice<Row>) {
        let i = thread::index_1d().get();
        if let Some(row) = made.get_mut(thread::index_1d()) {
            *row = Row::new(i as u32);
        }
        if let Some(row) = turned.get_mut(thread::index_1d()) {
            row.turn();
        }
    }
}

const N: usize = 840;

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let mut rows: Vec<Row> = (0..N as u32).map(Row::new).collect();
    let mut made = DeviceBuffer::from_host(&stream, &vec![rows[1]; N]).unwrap();
    let mut turned = DeviceBuffer::from_host(&stream, &rows).unwrap();
    // SAFETY: the launch is one-dimensional.
    unsafe { module.make(&stream, LaunchConfig::for_num_elems(N as u32), &mut made, &mut turned) }.unwrap();
    assert_eq!(made.to_host_vec(&stream).unwrap(), rows);
    rows.iter_mut().for_each(Row::turn);
    assert_eq!(turned.to_host_vec(&stream).unwrap(), rows);
    println!("SUCCESS: {N} rows");
}
