//! Call sites: a call of an image, with the call stack that leads to it.
//!
//! A call site is known by a number: the call's own where the image records no call stack, else one beyond those of the image's calls.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Mutex, PoisonError},
};

/// A hash table by numbers, which need no protection against chosen collisions.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<MixHasher>>;

#[derive(Default)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
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

/// The call sites of a launch that have a call stack, each with its calls, the outermost first.
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

/// The call sites that one worker knows.
pub struct CallSites<'a> {
    chains: &'a Chains,
    /// The number of the first call site that is none of the image's calls.
    first: u32,
    known: FastMap<u64, (Vec<u32>, u32)>,
}

impl<'a> CallSites<'a> {
    pub fn new(chains: &'a Chains, first: u32) -> Self {
        Self { chains, first, known: FastMap::default() }
    }

    /// The number of the call site of one of the image's calls, made within a call stack.
    pub fn of(&mut self, stack: &[u32], call: u32) -> u32 {
        if stack.is_empty() || call >= self.first {
            return call;
        }
        let mut hasher = MixHasher::default();
        stack.iter().for_each(|call| hasher.write_u32(*call));
        hasher.write_u32(call);
        let key = hasher.finish();
        match self.known.get(&key) {
            Some((chain, number)) if chain.split_last() == Some((&call, stack)) => *number,
            _ => {
                let chain = [stack, &[call]].concat();
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
    fn a_call_site_is_known_by_its_call_stack() {
        let chains = Chains::default();
        let (mut one, mut other) = (CallSites::new(&chains, 100), CallSites::new(&chains, 100));
        assert_eq!(one.of(&[], 7), 7);
        assert_eq!((one.of(&[3], 7), one.of(&[3], 8), one.of(&[3], 7)), (100, 101, 100));
        assert_eq!((other.of(&[4], 7), one.of(&[4], 7)), (102, 102));
        assert_eq!(chains.get(2), Some(vec![4, 7]));
    }
}
