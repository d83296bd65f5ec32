//! Places in a program: a call of its image, with the calls that lead to it.
//!
//! A place is known by a number: the call's own where nothing is told to lead to it, else one beyond those of the image's calls.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Mutex, PoisonError},
};

use crate::abi::{CALLS, Thread};

/// A table by numbers, which need no guarding against who chooses them.
pub type Fast<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The table looks at the highest bits and at the lowest.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The places of a launch that others lead to, each with its calls, the outermost first.
#[derive(Default)]
pub struct Chains(Mutex<Vec<Vec<u32>>>);

impl Chains {
    fn number(&self, chain: &[u32]) -> u32 {
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = chains.iter().position(|known| known == chain);
        known.unwrap_or_else(|| {
            chains.push(chain.to_vec());
            chains.len() - 1
        }) as u32
    }

    pub fn get(&self, number: u32) -> Option<Vec<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(number as usize).cloned()
    }
}

/// The places that one worker knows.
pub struct Spots<'a> {
    chains: &'a Chains,
    /// The number of the first place that is none of the image's calls.
    first: u32,
    known: Fast<u64, (Vec<u32>, u32)>,
}

impl<'a> Spots<'a> {
    pub fn new(chains: &'a Chains, first: u32) -> Self {
        Self { chains, first, known: Fast::default() }
    }

    /// The number of the place that a thread is at, at one of the image's calls.
    pub fn of(&mut self, thread: &Thread, site: u32) -> u32 {
        let calls = &thread.calls[..(thread.depth as usize).min(CALLS)];
        if calls.is_empty() || site >= self.first {
            return site;
        }
        let mut hasher = Mix::default();
        calls.iter().for_each(|call| hasher.write_u32(*call));
        hasher.write_u32(site);
        let key = hasher.finish();
        match self.known.get(&key) {
            Some((chain, number)) if chain.split_last() == Some((&site, calls)) => *number,
            _ => {
                let chain = [calls, &[site]].concat();
                let number = self.first + self.chains.number(&chain);
                self.known.insert(key, (chain, number));
                number
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_by_what_leads_to_them() {
        let chains = Chains::default();
        let (mut one, mut other) = (Spots::new(&chains, 100), Spots::new(&chains, 100));
        let mut thread = Thread::new();
        assert_eq!(one.of(&thread, 7), 7);
        thread.depth = 1;
        thread.calls[0] = 3;
        assert_eq!((one.of(&thread, 7), one.of(&thread, 8), one.of(&thread, 7)), (100, 101, 100));
        thread.calls[0] = 4;
        assert_eq!((other.of(&thread, 7), one.of(&thread, 7)), (102, 102));
        assert_eq!(chains.get(2), Some(vec![4, 7]));
    }
}
