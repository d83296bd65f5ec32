//! A hash map that threads fill at once without locks: a key and its value are one number of 64 bits,
//! which a compare-and-exchange puts into the first free slot from where the hash points to.

use std::{collections::HashMap, error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice,
    atomic::{AtomicOrdering::Relaxed, DeviceAtomicU64},
    cuda_module, kernel,
};

/// A slot without a key.
const EMPTY: u64 = 0;

/// A map from keys other than 0 to values, in slots of which nobody else makes use.
#[derive(Clone, Copy)]
struct Map<'a> {
    slots: &'a [DeviceAtomicU64],
}

impl<'a> Map<'a> {
    /// All slots, from where the key's hash points to.
    fn slots_for(self, key: u32) -> impl Iterator<Item = &'a DeviceAtomicU64> {
        let first = key.wrapping_mul(2_654_435_761) as usize % self.slots.len();
        let (before, after) = self.slots.split_at(first);
        after.iter().chain(before)
    }

    /// Inserts a pair; of several values for one key the greatest stays. Says whether there was room.
    fn insert(self, key: u32, value: u32) -> bool {
        let pair = u64::from(key) << 32 | u64::from(value);
        for slot in self.slots_for(key) {
            match slot.compare_exchange(EMPTY, pair, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(found) if key_of(found) == key => {
                    slot.fetch_max(pair, Relaxed);
                    return true;
                }
                Err(_) => {}
            }
        }
        false
    }

    /// The value of a key. There is one only before the first free slot, since none becomes free again.
    fn get(self, key: u32) -> Option<u32> {
        self.slots_for(key)
            .map(|slot| slot.load(Relaxed))
            .take_while(|&pair| pair != EMPTY)
            .find(|&pair| key_of(pair) == key)
            .map(|pair| pair as u32)
    }
}

fn key_of(pair: u64) -> u32 {
    (pair >> 32) as u32
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Inserts a pair a thread, and writes 1 where there was room for it, else 0.
    #[kernel]
    pub fn insert(
        keys: &[u32],
        values: &[u32],
        slots: &[DeviceAtomicU64],
        mut inserted: DisjointSlice<u32>,
    ) {
        if let Some((inserted, index)) = inserted.get_mut_indexed() {
            let i = index.get();
            *inserted = Map { slots }.insert(keys[i], values[i]).into();
        }
    }

    /// Looks a key up a thread; `u32::MAX` stands for none.
    #[kernel]
    pub fn look_up(keys: &[u32], slots: &[DeviceAtomicU64], mut values: DisjointSlice<u32>) {
        if let Some((value, index)) = values.get_mut_indexed() {
            *value = Map { slots }.get(keys[index.get()]).unwrap_or(u32::MAX);
        }
    }
}

const PAIRS: usize = 5000;
const LOOK_UPS: usize = 4000;
/// Twice as many as there are keys, no power of two.
const SLOTS: usize = 4999;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Each key comes twice, with different values.
    let keys: Vec<u32> = (0..PAIRS as u32).map(|i| 1 + 3 * (i % 2500)).collect();
    let values: Vec<u32> = (0..PAIRS as u32).map(|i| i * 7919 % 10_007).collect();
    // Two of three are not there.
    let wanted: Vec<u32> = (1..=LOOK_UPS as u32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let slots = DeviceBuffer::<u64>::zeroed(&stream, SLOTS)?.cast_elem::<DeviceAtomicU64>();

    let keys_device = DeviceBuffer::from_host(&stream, &keys)?;
    let values_device = DeviceBuffer::from_host(&stream, &values)?;
    let mut inserted = DeviceBuffer::<u32>::zeroed(&stream, PAIRS)?;
    // SAFETY: the launch is one-dimensional, with a key and a value for each thread that has an element.
    unsafe {
        module.insert(
            &stream,
            LaunchConfig::for_num_elems(PAIRS as u32),
            &keys_device,
            &values_device,
            &slots,
            &mut inserted,
        )
    }?;
    if inserted.to_host_vec(&stream)? != [1; PAIRS] {
        eprintln!("FAILURE: a map with free slots had no room");
        return Ok(ExitCode::FAILURE);
    }

    let wanted_device = DeviceBuffer::from_host(&stream, &wanted)?;
    let mut found = DeviceBuffer::<u32>::zeroed(&stream, LOOK_UPS)?;
    // SAFETY: as above.
    unsafe {
        module.look_up(
            &stream,
            LaunchConfig::for_num_elems(LOOK_UPS as u32),
            &wanted_device,
            &slots,
            &mut found,
        )
    }?;

    let mut expected = HashMap::new();
    for (&key, &value) in keys.iter().zip(&values) {
        let greatest = expected.entry(key).or_insert(value);
        *greatest = value.max(*greatest);
    }
    for (key, found) in wanted.iter().zip(found.to_host_vec(&stream)?) {
        let expected = expected.get(key).copied().unwrap_or(u32::MAX);
        if found != expected {
            eprintln!("FAILURE: key {key} has the value {found}, expected {expected}");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("SUCCESS: {PAIRS} pairs inserted, {LOOK_UPS} keys looked up");
    Ok(ExitCode::SUCCESS)
}
