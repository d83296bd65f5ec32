//! Bytes and bits: bytemuck, zerocopy, memchr, subtle and bitflags.

use bitflags::bitflags;
use bytemuck::{AnyBitPattern, CheckedBitPattern, Contiguous, NoUninit, Pod, TransparentWrapper, Zeroable};
use meaning::case::{cases, traps};
use subtle::{Choice, ConditionallyNegatable, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater, ConstantTimeLess, CtOption};
use zerocopy::{
    FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Ref, TryFromBytes, Unaligned,
    byteorder::{BigEndian, I16, LittleEndian, U32, U64},
};

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Vertex {
    position: [f32; 3],
    colour: [u8; 4],
}

#[repr(u8)]
#[allow(dead_code)]
#[derive(Clone, Copy, Contiguous, CheckedBitPattern, NoUninit)]
enum Level {
    Low = 3,
    Middle,
    High,
}

#[repr(transparent)]
#[derive(Clone, Copy, TransparentWrapper, AnyBitPattern)]
struct Seconds(u32);

#[repr(C)]
#[derive(FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned)]
struct Header {
    length: U32<BigEndian>,
    offset: I16<LittleEndian>,
    kind: [u8; 2],
}

#[repr(u16)]
#[allow(dead_code)]
#[derive(Clone, Copy, Immutable, KnownLayout, TryFromBytes)]
enum Kind {
    Data = 0x0100,
    End = 0xffff,
}

bitflags! {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Access: u8 {
        const READ = 1;
        const WRITE = 1 << 1;
        const EXECUTE = 1 << 4;
        const ALL = Self::READ.bits() | Self::WRITE.bits() | Self::EXECUTE.bits();
    }
}

cases! {
    fn searched(bytes: [u8; 45], needles: [u8; 3]) -> (Option<usize>, Option<usize>, Option<usize>, usize) {
        let [a, b, c] = needles.map(|needle| bytes[usize::from(needle) % 45]);
        (memchr::memchr(a, &bytes), memchr::memrchr2(b, needles[0], &bytes), memchr::memchr3(a, b, c, &bytes[7..]), memchr::memchr_iter(c, &bytes).count())
    }

    fn slice_cast(words: [u32; 4]) -> (u8, u16, u64, usize) {
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let halves: &[u16] = bytemuck::cast_slice(&words);
        (bytes[5], halves[3], bytes.iter().map(|&byte| byte as u64).sum(), bytemuck::try_cast_slice::<u8, u64>(&bytes[..7]).map_or(9, <[u64]>::len))
    }

    fn structs_cast(bytes: [u8; 16]) -> (f32, [u8; 4], [u32; 4], bool) {
        let vertex: Vertex = bytemuck::pod_read_unaligned(&bytes);
        let zero = Vertex::zeroed();
        (vertex.position[1], vertex.colour, bytemuck::cast(vertex), bytemuck::bytes_of(&zero).iter().all(|&byte| byte == 0))
    }

    fn mutable_cast(words: [u32; 3], byte: u8) -> ([u32; 3], u32) {
        let mut words = words;
        bytemuck::cast_slice_mut::<u32, u8>(&mut words)[6] = byte;
        bytemuck::bytes_of_mut(&mut words).reverse();
        (words, Seconds::peel(Seconds::wrap(words[1])))
    }

    fn checked_cast(byte: u8) -> (Option<u8>, Option<bool>, Option<u8>) {
        let level = bytemuck::checked::try_cast::<u8, Level>(byte).ok();
        (level.map(|level| level as u8), bytemuck::checked::try_cast(byte).ok(), Level::from_integer(byte).map(Level::into_integer))
    }

    fn header(bytes: [u8; 11]) -> (Option<(u32, i16, [u8; 2])>, usize, [u8; 8]) {
        let made = Header { length: U32::new(bytes[0] as u32), offset: I16::new(-2), kind: [bytes[1], 7] };
        let (found, rest) = match Header::ref_from_prefix(&bytes) {
            Ok((header, rest)) => (Some((header.length.get(), header.offset.get(), header.kind)), rest.len()),
            Err(_) => (None, 0),
        };
        let mut written = [0; 8];
        let _ = made.write_to(&mut written);
        (found, rest, written)
    }

    fn tagged(word: u16, wide: u64) -> (Option<u16>, [u8; 8], u64) {
        let kind = Kind::try_read_from_bytes(word.as_bytes()).ok();
        let swapped = U64::<BigEndian>::new(wide);
        (kind.map(|kind| kind as u16), zerocopy::transmute!(swapped), U64::<LittleEndian>::new_zeroed().get())
    }

    fn viewed(bytes: [u8; 12]) -> (u32, Option<usize>) {
        let mut bytes = bytes;
        let found = Ref::<_, [[u8; 3]]>::from_bytes(&mut bytes[..]).ok().map(|mut view| {
            view[1][2] ^= 0x55;
            view.len()
        });
        (bytes.iter().fold(0, |sum, &byte| sum * 31 % 65_521 + byte as u32), found)
    }

    fn select(a: u32, b: u32, which: bool) -> (u32, (u32, u32), i32) {
        let choice = Choice::from(which as u8);
        let (mut first, mut second) = (a, b);
        u32::conditional_swap(&mut first, &mut second, choice);
        let mut negated = a as i32;
        negated.conditional_negate(!choice);
        (u32::conditional_select(&a, &b, choice), (first, second), negated)
    }

    fn compare(a: [u8; 6], b: [u8; 6], c: u64, d: u64) -> (bool, bool, bool, Option<u64>) {
        let option = CtOption::new(c, c.ct_eq(&d) | d.ct_gt(&9));
        (a[..].ct_eq(&b[..]).into(), c.ct_lt(&d).into(), a[1..].ct_eq(&a[..5]).into(), option.map(|value| value ^ 1).into())
    }

    fn flags(bits: u8, other: u8) -> (u8, Option<u8>, bool, u8, usize) {
        let (set, kept) = (Access::from_bits_truncate(bits), Access::from_bits_retain(other));
        let mut changed = set;
        changed.toggle(kept);
        changed.set(Access::WRITE, bits > 100);
        (changed.bits(), Access::from_bits(other).map(|set| set.complement().bits()), set.contains(kept), (set - kept).bits(), kept.iter().count())
    }

    fn flag_names(bits: u8) -> (usize, u8, bool) {
        let set = Access::from_bits_retain(bits);
        let named = Access::from_name(if bits < 50 { "READ" } else { "EXECUTE" }).unwrap_or(Access::empty());
        (set.iter_names().map(|(name, _)| name.len()).sum(), (named | set & Access::ALL).bits(), set.is_all())
    }
}

traps! {
    fn uneven(bytes: [u8; 6], length: usize) -> usize { bytemuck::cast_slice::<u8, [u8; 2]>(&bytes[..length]).len() } [([1; 6], 4), ([1; 6], 5)]
}
