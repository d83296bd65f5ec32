//! Which functions of this crate are kernels, and their names.

use rustc_hir::def::DefKind;
use rustc_hir::def_id::DefId;
use rustc_hir::find_attr;
use rustc_middle::mono::MonoItem;
use rustc_middle::ty::{self, Instance, Ty, TyCtxt};

use crate::instances;

/// The alias that `#[kernel]` leaves on a function.
const MARKER: &str = "oxide_kernel";

/// Kernel instances and their entry names: those that the driver asks for, where it does; else the marked functions that are not generic,
/// then the instances of generic ones that `cuda_host::kernel::instance_name` was instantiated with.
pub fn kernels<'tcx>(tcx: TyCtxt<'tcx>) -> Vec<(Instance<'tcx>, String)> {
    if let Some(requested) = instances::requested()
        && !requested.is_empty()
    {
        return instances::instances(tcx, &requested);
    }
    let mut kernels: Vec<_> = tcx
        .hir_crate_items(())
        .definitions()
        .map(|local| local.to_def_id())
        .filter(|def_id| is_kernel(tcx, *def_id) && !tcx.generics_of(*def_id).requires_monomorphization(tcx))
        .map(|def_id| {
            // Lifetime parameters do not make a kernel generic; they are erased.
            let args = ty::GenericArgs::for_item(tcx, def_id, |_, _| tcx.lifetimes.re_erased.into());
            (Instance::new_raw(def_id, args), tcx.item_name(def_id).to_string())
        })
        .collect();
    let units = match tcx.crates(()).iter().any(|krate| tcx.crate_name(*krate).as_str() == "cuda_host") {
        true => tcx.collect_and_partition_mono_items(()).codegen_units,
        false => &[],
    };
    for unit in units {
        for item in unit.items().keys() {
            if let MonoItem::Fn(instance) = item
                && let Some(kernel) = named_kernel(tcx, *instance)
                && !kernels.contains(&kernel)
            {
                kernels.push(kernel);
            }
        }
    }
    kernels.sort_by(|left, right| left.1.cmp(&right.1));
    kernels
}

/// Whether a definition is a function with the marker.
pub fn is_kernel(tcx: TyCtxt<'_>, def_id: DefId) -> bool {
    tcx.def_kind(def_id) == DefKind::Fn && find_attr!(tcx, def_id, Doc(doc) if doc.aliases.keys().any(|alias| alias.as_str() == MARKER))
}

/// The instance and entry name of a generic kernel's function item type.
pub fn instance_of<'tcx>(tcx: TyCtxt<'tcx>, ty: Ty<'tcx>) -> (Instance<'tcx>, String) {
    let ty::FnDef(kernel, args) = ty.kind() else { unreachable!("a function item") };
    let args = tcx.erase_and_anonymize_regions(*args);
    let name = format!("{}_TID_{:032x}", tcx.item_name(*kernel), tcx.type_id_hash(ty).as_u128());
    (Instance::new_raw(*kernel, args), name)
}

/// The kernel that an instance of `instance_name` names.
fn named_kernel<'tcx>(tcx: TyCtxt<'tcx>, instance: Instance<'tcx>) -> Option<(Instance<'tcx>, String)> {
    let def_id = instance.def_id();
    if tcx.crate_name(def_id.krate).as_str() != "cuda_host"
        || tcx.def_path(def_id).to_string_no_crate_verbose() != "::kernel::instance_name"
    {
        return None;
    }
    let ty = instance.args.types().next()?;
    matches!(ty.kind(), ty::FnDef(..)).then(|| instance_of(tcx, ty))
}
