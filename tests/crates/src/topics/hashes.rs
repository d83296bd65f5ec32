//! Hashes and checksums: fnv, rustc-hash, siphasher, twox-hash, crc and sha2.

use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

use crc::{CRC_16_XMODEM, CRC_32_ISO_HDLC, Crc, NoTable, Table};
use fnv::FnvHasher;
use meaning::case::{cases, traps};
use rustc_hash::{FxBuildHasher, FxHasher};
use sha2::{Digest, Sha256, Sha512};
use siphasher::sip::{SipHasher13, SipHasher24};
use twox_hash::{XxHash32, XxHash64};

#[derive(Hash)]
enum Shape {
    Point,
    Circle(u32),
    Box { low: [i16; 2], high: (u8, bool) },
}

fn shape(a: u32) -> Shape {
    match a % 3 {
        0 => Shape::Point,
        1 => Shape::Circle(a),
        _ => Shape::Box { low: [a as i16, -3], high: (a as u8, a > 9) },
    }
}

cases! {
    fn fnv_of_bytes(bytes: [u8; 13]) -> (u64, u64) {
        let mut state = FnvHasher::default();
        state.write(&bytes);
        let mut keyed = FnvHasher::with_key(7);
        bytes.hash(&mut keyed);
        (state.finish(), keyed.finish())
    }

    fn fx_of_values(a: u64, b: u32, bytes: [u8; 7]) -> (u64, u64) {
        let mut state = FxHasher::default();
        (a, b, &bytes[..]).hash(&mut state);
        (state.finish(), FxBuildHasher.hash_one((b, 'x')))
    }

    fn derived(a: u32, b: u8) -> (u64, u64) {
        (FxBuildHasher.hash_one(shape(a)), BuildHasherDefault::<FnvHasher>::default().hash_one([shape(a), shape(b as u32)]))
    }

    fn sip_of_bytes(bytes: [u8; 21], key: u64) -> (u64, u64) {
        let mut weak = SipHasher13::new_with_keys(key, 1);
        let mut strong = SipHasher24::new_with_keys(1, key);
        bytes.hash(&mut weak);
        strong.write(&bytes[3..]);
        (weak.finish(), strong.finish())
    }

    fn sip_of_pieces(a: u8, b: u64, c: i16) -> (u64, (u64, u64)) {
        use siphasher::sip128::{Hasher128, SipHasher};
        let mut state = SipHasher13::new();
        (a, b, c, "text").hash(&mut state);
        let mut wide = SipHasher::new_with_key(&[a; 16]);
        b.hash(&mut wide);
        let wide = wide.finish128();
        (state.finish(), (wide.h1, wide.h2))
    }

    fn xx_of_bytes(bytes: [u8; 37], seed: u32) -> (u32, u64, u64) {
        let mut pieces = XxHash64::with_seed(seed as u64);
        bytes.chunks(5).for_each(|piece| pieces.write(piece));
        (XxHash32::oneshot(seed, &bytes), XxHash64::oneshot(seed as u64, &bytes), pieces.finish())
    }

    fn checksum(bytes: [u8; 11]) -> u16 {
        const SHORT: Crc<u16, NoTable> = Crc::<u16, NoTable>::new(&CRC_16_XMODEM);
        SHORT.checksum(&bytes)
    }

    fn checksum_by_table(bytes: [u8; 40], seed: u32) -> (u32, u32) {
        static WIDE: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);
        let mut digest = WIDE.digest_with_initial(seed);
        digest.update(&bytes[..17]);
        digest.update(&bytes[17..]);
        (WIDE.checksum(&bytes), digest.finalize())
    }

    fn sha_256(bytes: [u8; 60]) -> [u8; 32] {
        Sha256::digest(bytes).into()
    }

    fn sha_512(a: u64, b: u64) -> [u8; 64] {
        let mut state = Sha512::new();
        for i in 0..10 {
            state.update(a.wrapping_mul(i).to_le_bytes());
            state.update(b.to_be_bytes());
        }
        state.finalize().into()
    }

    fn proof_of_work(bytes: [u8; 8], nonce: u32) -> (u32, u8) {
        let mut state = Sha256::new();
        state.update(bytes);
        state.update(nonce.to_be_bytes());
        let digest = Sha256::digest(state.finalize());
        let zeros = digest.iter().take_while(|&&byte| byte == 0).count() as u32 * 8;
        (zeros + digest[zeros as usize / 8].leading_zeros(), digest[31])
    }
}

traps! {}
