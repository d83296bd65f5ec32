//! Checks that accesses lie in one variable or allocation, and are aligned (`--check memory`).

use super::{
    access::Access,
    address::{Location, Region},
    checker::{Checker, Context},
};
use crate::exec::failure::{Cause, Failure};

pub struct Bounds;

impl Checker for Bounds {
    fn access(&mut self, context: &mut Context<'_>, access: &Access<'_>, location: Location) -> Result<(), Failure> {
        if let Some(error) = outside(context, access, location) {
            return Err(failure(context, access, Cause::IllegalAddress, &error));
        }
        let align = access.flags.align();
        if !access.address.is_multiple_of(align) {
            let name = match location.region {
                Region::Local => String::new(),
                _ => format!(" ({})", context.addresses.name(location)),
            };
            let error = format!("at {:#x}{name}, which is not a multiple of {align}", access.address);
            return Err(failure(context, access, Cause::MisalignedAddress, &error));
        }
        Ok(())
    }
}

/// The error of an access outside of what it may access.
fn outside(context: &Context<'_>, access: &Access<'_>, location: Location) -> Option<String> {
    let name = || context.addresses.name(location);
    let address = access.address;
    if let Region::Local = location.region {
        return None;
    }
    if let Region::Shared { slot, .. } = location.region
        && access.arena.ended[slot].get()
    {
        return Some(format!("at {}, which has exited", name()));
    }
    match context.addresses.object(location) {
        Some(object) if object.holds(access.bytes) => None,
        Some(object) if object.starts_within() => {
            let past = access.bytes - (object.bytes - object.offset as usize);
            Some(format!("at {}, the last {past} of them past its end of {} bytes", name(), object.bytes))
        }
        Some(_) | None => Some(format!("at {address:#x}, {}", name())),
    }
}

fn failure(context: &mut Context<'_>, access: &Access<'_>, cause: Cause, error: &str) -> Failure {
    let site = context.site(access);
    let message = format!("{} {} bytes {error}, in {}", access.flags.verb(), access.bytes, context.launch.site(site));
    Failure { cause, message }
}
