//! Which functions of this crate are kernels or a device library's, and their names.

use rustc_hir::def::DefKind;
use rustc_hir::def_id::DefId;
use rustc_hir::find_attr;
use rustc_middle::mono::MonoItem;
use rustc_middle::ty::{self, Instance, Ty, TyCtxt};

use crate::instances;

/// The aliases that `#[kernel]`, `#[device]` and `#[constant]` leave on an item.
const KERNEL: &str = "oxide_kernel";
const DEVICE: &str = "oxide_device";
const CONSTANT: &str = "oxide_constant";

/// Kernel instances and their entry names: those that the driver asks for, where it does; else the marked functions that are not generic,
/// then the instances of generic ones that `cuda_host::kernel::instance_name` was instantiated with.
pub fn kernels<'tcx>(tcx: TyCtxt<'tcx>) -> Vec<(Instance<'tcx>, String)> {
    if let Some(requested) = instances::requested()
        && !requested.is_empty()
    {
        return instances::instances(tcx, &requested);
    }
    let mut kernels: Vec<_> =
        marked(tcx, KERNEL).into_iter().map(|instance| (instance, tcx.item_name(instance.def_id()).to_string())).collect();
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

/// The functions that a device library exports, and their names.
pub fn exports<'tcx>(tcx: TyCtxt<'tcx>) -> Vec<(Instance<'tcx>, String)> {
    let name = |def_id| tcx.codegen_fn_attrs(def_id).symbol_name.unwrap_or_else(|| tcx.item_name(def_id)).to_string();
    let mut exports: Vec<_> = marked(tcx, DEVICE).into_iter().map(|instance| (instance, name(instance.def_id()))).collect();
    exports.sort_by(|left, right| left.1.cmp(&right.1));
    exports
}

/// The marked functions of this crate that are not generic.
fn marked<'tcx>(tcx: TyCtxt<'tcx>, marker: &str) -> Vec<Instance<'tcx>> {
    let definitions = tcx.hir_crate_items(()).definitions().map(|local| local.to_def_id());
    definitions
        .filter(|def_id| is_function(tcx, *def_id, marker) && !tcx.generics_of(*def_id).requires_monomorphization(tcx))
        .map(|def_id| {
            // Lifetime parameters do not make a function generic; they are erased.
            let args = ty::GenericArgs::for_item(tcx, def_id, |_, _| tcx.lifetimes.re_erased.into());
            Instance::new_raw(def_id, args)
        })
        .collect()
}

/// Whether a definition is a kernel.
pub fn is_kernel(tcx: TyCtxt<'_>, def_id: DefId) -> bool {
    is_function(tcx, def_id, KERNEL)
}

/// Whether a static has `#[constant]`.
pub fn is_constant(tcx: TyCtxt<'_>, def_id: DefId) -> bool {
    has_marker(tcx, def_id, CONSTANT)
}

fn is_function(tcx: TyCtxt<'_>, def_id: DefId, marker: &str) -> bool {
    tcx.def_kind(def_id) == DefKind::Fn && has_marker(tcx, def_id, marker)
}

fn has_marker(tcx: TyCtxt<'_>, def_id: DefId, marker: &str) -> bool {
    find_attr!(tcx, def_id, Doc(doc) if doc.aliases.keys().any(|alias| alias.as_str() == marker))
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
