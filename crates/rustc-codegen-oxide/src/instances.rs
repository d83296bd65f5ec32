//! Generic kernels: which there are, and the instances of them that the driver asks for with `OXIDE_INSTANCES`.
//!
//! `[["scale", ["f32", "4"]]]` asks for `scale::<f32, 4>`. A type is written as in Rust: a primitive, a tuple, an array, a raw pointer, or
//! the path of a struct, enum, union or function that is not generic: in this crate from as far inside as it is clear, in one that it depends
//! on as the crate exports it, `half::bf16`.

use rustc_hir::def::{DefKind, Res};
use rustc_hir::def_id::{CrateNum, DefId};
use rustc_middle::ty::{self, GenericArg, GenericParamDefKind, Instance, Ty, TyCtxt, TypingEnv};
use serde_json::Value;

use crate::kernels::{instance_of, is_kernel};
use crate::schema::{GenericKernel, GenericParam};

/// What the driver asks for; absent where it wants the kernels that there are.
pub fn requested() -> Option<Vec<(String, Vec<String>)>> {
    let text = std::env::var("OXIDE_INSTANCES").ok()?;
    let asked: Value = serde_json::from_str(&text).expect("OXIDE_INSTANCES is what the driver wrote");
    let text = |value: &Value| value.as_str().expect("a name or an argument").to_owned();
    let one = |pair: &Value| (text(&pair[0]), pair[1].as_array().expect("arguments").iter().map(text).collect());
    Some(asked.as_array().expect("a list of instances").iter().map(one).collect())
}

/// The kernels of this crate that are generic over more than lifetimes.
pub fn generic_kernels(tcx: TyCtxt<'_>) -> Vec<DefId> {
    let definitions = tcx.hir_crate_items(()).definitions().map(|local| local.to_def_id());
    let mut found: Vec<_> =
        definitions.filter(|def_id| is_kernel(tcx, *def_id) && tcx.generics_of(*def_id).requires_monomorphization(tcx)).collect();
    found.sort_by_key(|def_id| path(tcx, *def_id));
    found
}

/// What the dump says of a generic kernel.
pub fn describe(tcx: TyCtxt<'_>, def_id: DefId) -> GenericKernel {
    let generics = all_parameters(tcx, def_id)
        .into_iter()
        .filter_map(|parameter| match parameter.kind {
            GenericParamDefKind::Lifetime => None,
            GenericParamDefKind::Type { .. } => Some(GenericParam { name: parameter.name.to_string(), ty: None }),
            GenericParamDefKind::Const { .. } => {
                let ty = tcx.type_of(parameter.def_id).instantiate_identity();
                Some(GenericParam { name: parameter.name.to_string(), ty: Some(ty.to_string()) })
            }
        })
        .collect();
    let signature = tcx.fn_sig(def_id).instantiate_identity().skip_binder();
    let names = parameter_names(tcx, def_id);
    let params = names.into_iter().zip(signature.inputs()).map(|(name, ty)| (name, ty.to_string())).collect();
    GenericKernel { name: tcx.item_name(def_id).to_string(), path: path(tcx, def_id), generics, params }
}

/// The names of a function's parameters; empty where one is a pattern.
pub fn parameter_names(tcx: TyCtxt<'_>, def_id: DefId) -> Vec<String> {
    tcx.fn_arg_idents(def_id).iter().map(|name| name.map_or_else(String::new, |name| name.to_string())).collect()
}

/// The instances asked for of this crate's generic kernels. An argument that cannot be had is an error at the kernel.
pub fn instances<'tcx>(tcx: TyCtxt<'tcx>, requested: &[(String, Vec<String>)]) -> Vec<(Instance<'tcx>, String)> {
    let generic = generic_kernels(tcx);
    let mut found = Vec::new();
    for (name, arguments) in requested {
        for def_id in generic.iter().copied().filter(|def_id| ends_in(&path(tcx, *def_id), name)) {
            match instantiate(tcx, def_id, arguments) {
                Ok(instance) => found.push(instance_of(tcx, instance)),
                Err(reason) => {
                    let span = tcx.def_ident_span(def_id).unwrap_or_else(|| tcx.def_span(def_id));
                    let message = format!("kernel `{name}` cannot be made for `{}`: {reason}", arguments.join(", "));
                    tcx.dcx().span_err(span, message);
                }
            }
        }
    }
    found
}

fn instantiate<'tcx>(tcx: TyCtxt<'tcx>, def_id: DefId, arguments: &[String]) -> Result<Ty<'tcx>, String> {
    let parameters = all_parameters(tcx, def_id);
    let wanted = parameters.iter().filter(|parameter| !matches!(parameter.kind, GenericParamDefKind::Lifetime)).count();
    if wanted != arguments.len() {
        return Err(format!("got {} arguments, expected {wanted}", arguments.len()));
    }
    let mut texts = arguments.iter();
    let mut args: Vec<GenericArg<'tcx>> = Vec::new();
    for parameter in parameters {
        args.push(match parameter.kind {
            GenericParamDefKind::Lifetime => tcx.lifetimes.re_erased.into(),
            GenericParamDefKind::Type { .. } => parse_type(tcx, texts.next().expect("counted above"))?.into(),
            GenericParamDefKind::Const { .. } => {
                let ty = tcx.type_of(parameter.def_id).instantiate_identity();
                parse_constant(tcx, ty, texts.next().expect("counted above"))?.into()
            }
        });
    }
    let args = tcx.mk_args(&args);
    if tcx.instantiate_and_check_impossible_predicates((def_id, args)) {
        return Err("it does not meet the kernel's bounds".to_owned());
    }
    Ok(Ty::new_fn_def(tcx, def_id, args))
}

fn all_parameters(tcx: TyCtxt<'_>, def_id: DefId) -> Vec<ty::GenericParamDef> {
    let generics = tcx.generics_of(def_id);
    (0..generics.count()).map(|index| generics.param_at(index, tcx).clone()).collect()
}

fn path(tcx: TyCtxt<'_>, def_id: DefId) -> String {
    tcx.def_path(def_id).to_string_no_crate_verbose().trim_start_matches("::").to_owned()
}

/// Whether a path ends in the segments of another one.
fn ends_in(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|rest| rest.ends_with("::"))
}

fn parse_constant<'tcx>(tcx: TyCtxt<'tcx>, ty: Ty<'tcx>, text: &str) -> Result<ty::Const<'tcx>, String> {
    let wrong = || format!("got `{text}`, expected a value of type `{ty}`");
    let bits = match ty.kind() {
        ty::Bool => u128::from(text.parse::<bool>().map_err(|_| wrong())?),
        ty::Char => u128::from(u32::from(text.parse::<char>().map_err(|_| wrong())?)),
        ty::Uint(_) | ty::Int(_) => {
            let size = tcx.layout_of(TypingEnv::fully_monomorphized().as_query_input(ty)).expect("integers have a layout").size;
            let number = text.parse::<i128>().map(|number| number as u128).or_else(|_| text.parse::<u128>()).map_err(|_| wrong())?;
            let truncated = size.truncate(number);
            let same = match ty.is_signed() {
                true => size.sign_extend(truncated) as u128 == number,
                false => truncated == number && !text.starts_with('-'),
            };
            if !same {
                return Err(wrong());
            }
            truncated
        }
        _ => return Err(format!("a constant of type `{ty}` cannot be chosen from outside")),
    };
    Ok(ty::Const::from_bits(tcx, bits, TypingEnv::fully_monomorphized(), ty))
}

fn parse_type<'tcx>(tcx: TyCtxt<'tcx>, text: &str) -> Result<Ty<'tcx>, String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let elements: Result<Vec<_>, _> = split(inner).into_iter().map(|element| parse_type(tcx, element)).collect();
        return Ok(Ty::new_tup(tcx, &elements?));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (element, count) = inner.rsplit_once(';').ok_or_else(|| format!("`{text}` has no size"))?;
        let count = count.trim().parse().map_err(|_| format!("`{}` is no number of elements", count.trim()))?;
        return Ok(Ty::new_array(tcx, parse_type(tcx, element)?, count));
    }
    if let Some(pointee) = text.strip_prefix("*const ") {
        return Ok(Ty::new_imm_ptr(tcx, parse_type(tcx, pointee)?));
    }
    if let Some(pointee) = text.strip_prefix("*mut ") {
        return Ok(Ty::new_mut_ptr(tcx, parse_type(tcx, pointee)?));
    }
    let types = &tcx.types;
    let primitives = [
        types.bool,
        types.char,
        types.i8,
        types.i16,
        types.i32,
        types.i64,
        types.i128,
        types.isize,
        types.u8,
        types.u16,
        types.u32,
        types.u64,
        types.u128,
        types.usize,
        types.f16,
        types.f32,
        types.f64,
    ];
    if let Some(primitive) = primitives.into_iter().find(|ty| ty.to_string() == text) {
        return Ok(primitive);
    }
    let wanted = text.trim_start_matches("crate::");
    let definitions = tcx.hir_crate_items(()).definitions().map(|local| local.to_def_id());
    let candidates: Vec<DefId> = definitions
        .filter(|def_id| is_type_or_function(tcx.def_kind(*def_id)))
        .filter(|def_id| ends_in(&path(tcx, *def_id), wanted))
        .collect();
    let def_id = match candidates[..] {
        [def_id] => def_id,
        [] => exported(tcx, text).ok_or_else(|| format!("neither this crate nor one that it names has a type or function `{text}`"))?,
        _ => return Err(format!("this crate has several `{text}`: write its path")),
    };
    if tcx.generics_of(def_id).requires_monomorphization(tcx) {
        return Err(format!("`{text}` is generic"));
    }
    let args = ty::GenericArgs::for_item(tcx, def_id, |_, _| tcx.lifetimes.re_erased.into());
    Ok(match tcx.def_kind(def_id) {
        DefKind::Fn => Ty::new_fn_def(tcx, def_id, args),
        _ => tcx.type_of(def_id).instantiate(tcx, args),
    })
}

fn is_type_or_function(kind: DefKind) -> bool {
    matches!(kind, DefKind::Struct | DefKind::Enum | DefKind::Union | DefKind::Fn)
}

/// The type or function that a crate which this one names exports under a path that begins with the crate's name.
fn exported(tcx: TyCtxt<'_>, path: &str) -> Option<DefId> {
    let mut segments = path.trim_start_matches("::").split("::");
    let name = segments.next()?;
    let is_named =
        |krate: &CrateNum| tcx.crate_name(*krate).as_str() == name && tcx.extern_crate(*krate).is_some_and(|found| found.is_direct());
    let mut found = (DefKind::Mod, tcx.crates(()).iter().copied().find(is_named)?.as_def_id());
    for segment in segments {
        let (DefKind::Mod, module) = found else { return None };
        let children = tcx.module_children(module).iter().filter(|child| child.vis.is_public() && child.ident.name.as_str() == segment);
        found = children
            .filter_map(|child| match child.res {
                Res::Def(kind, def_id) if kind == DefKind::Mod || is_type_or_function(kind) => Some((kind, def_id)),
                _ => None,
            })
            .next()?;
    }
    is_type_or_function(found.0).then_some(found.1)
}

/// The parts of a list between the commas that no bracket holds.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (index, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}
