//! Collections without a heap: heapless, arrayvec, tinyvec, enum-map, bitvec and generic-array.

use arrayvec::{ArrayString, ArrayVec};
use bitvec::{prelude::Lsb0, view::BitView};
use enum_map::{Enum, EnumMap, enum_map};
use generic_array::{ArrayLength, GenericArray, sequence::GenericSequence, typenum};
use heapless::{
    Deque, HistoryBuf, String, Vec,
    binary_heap::{BinaryHeap, Max, Min},
    index_map::FnvIndexMap,
    index_set::FnvIndexSet,
    linear_map::LinearMap,
    spsc::Queue,
};
use meaning::case::{cases, traps};
use tinyvec::SliceVec;

#[derive(Clone, Copy, Enum, PartialEq)]
enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

fn suit(of: u32) -> Suit {
    [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades][of as usize % 4]
}

fn running<N: ArrayLength>(from: u32) -> GenericArray<u32, N> {
    GenericArray::generate(|i| from.wrapping_add(i as u32 * i as u32))
}

cases! {
    fn vec_of_some(values: [u32; 6], limit: u32) -> (usize, [u32; 6], Option<u32>, bool) {
        let mut kept: Vec<u32, 4> = Vec::new();
        let mut full = false;
        for value in values {
            if value >= limit {
                full |= kept.push(value).is_err();
            }
        }
        let last = kept.pop();
        let mut found = [0; 6];
        found[..kept.len()].copy_from_slice(&kept);
        (kept.len(), found, last, full)
    }

    fn vec_edited(values: [u16; 5], at: u8) -> (usize, [u16; 8], bool) {
        let mut vec: Vec<u16, 8> = Vec::from_slice(&values).unwrap_or_default();
        let at = at as usize % 5;
        let _ = vec.insert(at, 77);
        vec.swap_remove((at * 3) % 6);
        vec.retain(|value| value % 2 == 1);
        vec.extend_from_slice(&[1, 2]).ok();
        vec.reverse();
        let mut found = [0; 8];
        found[..vec.len()].copy_from_slice(&vec);
        (vec.len(), found, vec.starts_with(&[1]))
    }

    fn breadth_first(start: u8) -> ([u8; 8], usize) {
        const NEXT: [[u8; 2]; 8] = [[1, 2], [3, 4], [5, 6], [7, 0], [7, 1], [2, 3], [0, 0], [6, 5]];
        let mut waiting: Deque<u8, 8> = Deque::new();
        let mut order = [0xff; 8];
        let mut seen = 0;
        let _ = waiting.push_back(start % 8);
        while let Some(node) = waiting.pop_front() {
            if order[..seen].iter().any(|&other| other == node) {
                continue;
            }
            order[seen] = node;
            seen += 1;
            for next in NEXT[node as usize] {
                if !waiting.iter().any(|&other| other == next) {
                    let _ = waiting.push_back(next);
                }
            }
        }
        (order, seen)
    }

    fn queue_and_history(values: [i32; 6]) -> (Option<i32>, usize, [i32; 3], Option<i32>) {
        let mut queue: Queue<i32, 4> = Queue::new();
        let mut recent: HistoryBuf<i32, 3> = HistoryBuf::new();
        for value in values {
            let _ = queue.enqueue(value);
            recent.write(value);
        }
        let mut last = [0; 3];
        for (to, value) in last.iter_mut().zip(recent.oldest_ordered()) {
            *to = *value;
        }
        (queue.dequeue(), queue.len(), last, recent.recent().copied())
    }

    fn largest(values: [i32; 7]) -> ([i32; 3], [u8; 3], Option<i32>) {
        let mut largest: BinaryHeap<i32, Max, 8> = BinaryHeap::new();
        let mut smallest: BinaryHeap<u8, Min, 8> = BinaryHeap::new();
        for value in values {
            let _ = (largest.push(value), smallest.push(value as u8));
        }
        let peeked = largest.peek().copied();
        (core::array::from_fn(|_| largest.pop().unwrap_or(0)), core::array::from_fn(|_| smallest.pop().unwrap_or(0)), peeked)
    }

    fn counted(values: [u8; 12]) -> (usize, Option<u32>, u32, [u8; 4]) {
        let mut counts: FnvIndexMap<u8, u32, 16> = FnvIndexMap::new();
        for value in values {
            if let Some(count) = counts.get_mut(&value) {
                *count += 1;
            } else {
                let _ = counts.insert(value, 1);
            }
        }
        let most = counts.values().copied().max().unwrap_or(0);
        let removed = counts.swap_remove(&values[0]);
        let mut keys = counts.keys().copied();
        (counts.len(), removed, most, core::array::from_fn(|_| keys.next().unwrap_or(0)))
    }

    fn sets(a: [u16; 6], b: [u16; 6]) -> (usize, usize, u32, bool) {
        let (mut left, mut right): (FnvIndexSet<u16, 8>, FnvIndexSet<u16, 8>) = (FnvIndexSet::new(), FnvIndexSet::new());
        for (a, b) in a.into_iter().zip(b) {
            let _ = (left.insert(a), right.insert(b));
        }
        let sum = left.union(&right).map(|&value| value as u32).sum();
        (left.intersection(&right).count(), left.difference(&right).count(), sum, left.is_subset(&right))
    }

    fn linear(a: [u8; 4], key: u8) -> (Option<usize>, usize, bool) {
        let mut map: LinearMap<u8, usize, 4> = LinearMap::new();
        for (index, value) in a.into_iter().enumerate() {
            let _ = map.insert(value, index);
        }
        (map.get(&key).copied(), map.len(), map.contains_key(&a[3]))
    }

    fn text(a: char, b: u8) -> ([u8; 12], usize, bool, Option<char>) {
        let mut text: String<12> = String::new();
        let _ = text.push_str("oxide ");
        let _ = text.push(a);
        let _ = text.push((b'a' + b % 26) as char);
        let mut bytes = [0; 12];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        (bytes, text.len(), text.ends_with('q'), text.pop())
    }

    fn array_vec(values: [u32; 6], at: u8) -> (usize, u32, Option<u32>, bool) {
        let mut vec: ArrayVec<u32, 6> = values.into_iter().filter(|value| value % 3 != 1).collect();
        let _ = vec.try_insert(at as usize % (vec.len() + 1), 5);
        let removed = vec.pop_at(at as usize % 7);
        let drained: u32 = vec.drain(..vec.len() / 2).fold(0, u32::wrapping_add);
        (vec.len(), vec.iter().fold(drained, |sum, &value| sum.wrapping_mul(3) ^ value), removed, vec.is_full())
    }

    fn array_string(a: char, b: char) -> ([u8; 8], usize, bool) {
        let mut text = ArrayString::<8>::new();
        let fits = text.try_push(a).is_ok() & text.try_push_str("no").is_ok() & text.try_push(b).is_ok();
        let mut bytes = [0; 8];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        (bytes, text.chars().filter(|letter| letter.is_ascii()).count(), fits)
    }

    fn tiny_vec(values: [u16; 6]) -> (usize, u16, [u16; 6]) {
        let mut vec: tinyvec::ArrayVec<[u16; 6]> = values.iter().copied().filter(|&value| value < 1000).collect();
        vec.reverse();
        vec.truncate(4);
        let mut memory = values;
        let mut slice = SliceVec::from_slice_len(&mut memory, 3);
        slice.push(9);
        slice.remove(0);
        (vec.len(), vec.iter().fold(1, |sum, &value| sum.wrapping_mul(31).wrapping_add(value)), memory)
    }

    fn by_suit(cards: [u32; 8]) -> ([u32; 4], usize, bool) {
        let mut counts: EnumMap<Suit, u32> = enum_map! { Suit::Clubs => 10, _ => 0 };
        for card in cards {
            counts[suit(card)] += card % 13;
        }
        (counts.into_array(), Suit::Spades.into_usize(), Suit::from_usize(2) == Suit::Hearts)
    }

    fn bits(a: u32, at: u8, to: u8) -> (usize, Option<usize>, u32, u32) {
        let mut words = [a, !a];
        let view = words.view_bits_mut::<Lsb0>();
        view.set(at as usize % 64, true);
        let found = (view.count_ones(), view.first_zero());
        let (from, to) = (at.min(to) as usize % 32, 32 + to as usize % 32);
        view[from..to].fill(to % 2 == 0);
        (found.0, found.1, words[0], words[1])
    }

    fn generic_arrays(a: u32) -> ([u32; 3], u32, [u32; 5]) {
        use generic_array::functional::FunctionalSequence;
        let array = running::<typenum::U5>(a);
        let sum = array.zip(running::<typenum::U5>(3), u32::wrapping_mul).fold(0, u32::wrapping_add);
        (running::<typenum::U3>(a).into_array(), sum, array.map(|value| value ^ 1).into_array())
    }
}

traps! {
    fn overfull(n: u8) -> usize {
        let mut vec: ArrayVec<u8, 3> = ArrayVec::new();
        for i in 0..n {
            vec.push(i);
        }
        vec.len()
    } [(3,), (4,)]
}
