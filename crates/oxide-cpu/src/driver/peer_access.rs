//! What may be accessed: by a launch, and by copies.

use std::collections::BTreeSet;

use super::{
    error::{Error, Result},
    memory::{self, Kind},
    virtual_memory::{self, Access},
};
use crate::exec::memory::{Allocation, Memory};

/// The memory of other devices that a launch may access.
pub struct PeerAccess {
    device: usize,
    /// Contexts to whose memory access is enabled.
    peers: BTreeSet<usize>,
    /// Pools of other devices to which access is granted.
    pools: BTreeSet<usize>,
}

impl PeerAccess {
    pub fn new(device: usize, peers: BTreeSet<usize>, pools: BTreeSet<usize>) -> Self {
        Self { device, peers, pools }
    }

    /// Why an address, which is in an allocation, may not be accessed.
    pub fn refuses(&self, address: u64) -> Option<String> {
        let it = memory::properties(address).filter(|it| it.owner.device != self.device)?;
        let allowed = match it.kind {
            Kind::Device if it.pool != 0 => self.pools.contains(&it.pool),
            Kind::Device | Kind::Global => self.peers.contains(&it.owner.context),
            Kind::Virtual => virtual_memory::access(address, Some(self.device)) > Some(Access::None),
            Kind::Host | Kind::Registered | Kind::Managed => true,
        };
        let what =
            format!("an allocation of {} bytes on device {}, to which device {} has no access", it.bytes, it.owner.device, self.device);
        (!allowed).then_some(what)
    }
}

impl Memory for PeerAccess {
    fn find(&self, address: u64) -> Option<Allocation> {
        let (start, bytes, kind) = memory::find(address).filter(|_| self.refuses(address).is_none())?;
        Some(Allocation { start, bytes, records_writes: kind == Kind::Device })
    }

    fn describe(&self, address: u64) -> String {
        self.refuses(address).unwrap_or_else(|| memory::describe(address))
    }

    fn take_written(&self, start: u64) -> Option<Vec<u64>> {
        memory::take_written(start)
    }

    fn put_written(&self, start: u64, bits: Vec<u64>) {
        memory::put_written(start, bits);
    }
}

/// Checks that memory of the driver's holds `bytes` from `address` on, in one allocation or in mappings side by side.
///
/// # Errors
///
/// `INVALID_VALUE` where it does not, or where no device has access to it.
pub fn check_range(address: u64, bytes: usize) -> Result<()> {
    let (mut address, mut bytes) = (address, bytes as u64);
    while bytes > 0 {
        let (start, whole, kind) = memory::find(address).ok_or(Error::INVALID_VALUE)?;
        let here = (whole as u64 - (address - start)).min(bytes);
        let is_mapped = kind == Kind::Virtual;
        if (is_mapped && virtual_memory::access(address, None) <= Some(Access::None)) || (!is_mapped && here < bytes) {
            return Err(Error::INVALID_VALUE);
        }
        address += here;
        bytes -= here;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::memory::{Owner, allocate, free};

    #[test]
    fn ranges_lie_in_one_allocation() {
        let address = allocate(100, Kind::Device, Owner::default(), 0, 0).unwrap();
        assert_eq!(check_range(address, 100), Ok(()));
        assert_eq!(check_range(address + 99, 1), Ok(()));
        assert_eq!(check_range(address + 50, 51), Err(Error::INVALID_VALUE));
        assert_eq!(check_range(address + 100, 1), Err(Error::INVALID_VALUE));
        assert_eq!(check_range(address + 100, 0), Ok(()));
        assert_eq!(check_range(16, 1), Err(Error::INVALID_VALUE));
        free(address, &[Kind::Device]).unwrap();
    }
}
