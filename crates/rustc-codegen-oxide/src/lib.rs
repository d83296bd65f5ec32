//! oxide's codegen backend: rustc's own LLVM backend for the host, and a dump of kernels' stable MIR for the driver.
//!
//! The backend decides nothing about GPUs: it writes down what rustc knows (`schema`), of the kernels (`kernels`) and all they
//! reach (`collect`, `body`), and lets the driver (`driver`) answer with an object for the link or with diagnostics.
#![feature(rustc_private)]

extern crate rustc_abi;
extern crate rustc_codegen_llvm;
extern crate rustc_codegen_ssa;
extern crate rustc_data_structures;
// Where rustc-dev is installed, all of the compiler's crates come from this one library.
#[cfg(feature = "rustc-dev")]
extern crate rustc_driver;
extern crate rustc_errors;
extern crate rustc_hir;
extern crate rustc_metadata;
extern crate rustc_middle;
extern crate rustc_public;
extern crate rustc_public_bridge;
extern crate rustc_session;
extern crate rustc_span;
extern crate serde;
extern crate serde_json;

mod body;
mod collect;
mod cut;
mod driver;
mod instances;
mod kernels;
mod message;
mod schema;

use std::any::Any;

use rustc_codegen_ssa::traits::CodegenBackend;
use rustc_codegen_ssa::{CompiledModule, CompiledModules, CrateInfo, ModuleKind, TargetConfig};
use rustc_data_structures::fx::FxIndexMap;
use rustc_metadata::EncodedMetadata;
use rustc_middle::dep_graph::{WorkProduct, WorkProductId};
use rustc_middle::middle::exported_symbols::SymbolExportKind;
use rustc_middle::ty::TyCtxt;
use rustc_session::Session;
use rustc_session::config::{CrateType, OutputFilenames};

struct Oxide {
    llvm: Box<dyn CodegenBackend>,
}

/// What `codegen_crate` hands to `join_codegen`.
struct Ongoing {
    llvm: Box<dyn Any>,
    driver: Option<driver::Pending>,
}

impl CodegenBackend for Oxide {
    fn name(&self) -> &'static str {
        "oxide"
    }

    fn init(&self, session: &Session) {
        self.llvm.init(session);
    }

    fn target_cpu(&self, session: &Session) -> String {
        self.llvm.target_cpu(session)
    }

    fn target_config(&self, session: &Session) -> TargetConfig {
        self.llvm.target_config(session)
    }

    fn provide(&self, providers: &mut rustc_middle::util::Providers) {
        self.llvm.provide(providers);
    }

    fn replaced_intrinsics(&self) -> Vec<rustc_span::Symbol> {
        self.llvm.replaced_intrinsics()
    }

    fn thin_lto_supported(&self) -> bool {
        self.llvm.thin_lto_supported()
    }

    fn print(&self, request: &rustc_session::config::PrintRequest, out: &mut String, session: &Session) {
        self.llvm.print(request, out, session);
    }

    fn codegen_crate<'tcx>(&self, tcx: TyCtxt<'tcx>, crate_info: &CrateInfo) -> Box<dyn Any> {
        let driver = collect::dump_crate(tcx).and_then(|dumped| driver::announce(tcx, dumped));
        Box::new(Ongoing { llvm: self.llvm.codegen_crate(tcx, crate_info), driver })
    }

    fn join_codegen(
        &self,
        ongoing: Box<dyn Any>,
        session: &Session,
        outputs: &OutputFilenames,
    ) -> (CompiledModules, FxIndexMap<WorkProductId, WorkProduct>) {
        let Ongoing { llvm, driver } = *ongoing.downcast().expect("made by codegen_crate");
        let (mut modules, products) = self.llvm.join_codegen(llvm, session, outputs);
        driver::forget_artifact(outputs);
        if let Some(object) = driver.and_then(|pending| pending.artifact(session, outputs)) {
            modules.modules.push(CompiledModule {
                name: "oxide_artifact".to_owned(),
                kind: ModuleKind::Regular,
                object: Some(object),
                dwarf_object: None,
                bytecode: None,
                assembly: None,
                llvm_ir: None,
                links_from_incr_cache: Vec::new(),
            });
        }
        (modules, products)
    }

    fn link(
        &self,
        session: &Session,
        modules: CompiledModules,
        mut crate_info: CrateInfo,
        metadata: EncodedMetadata,
        outputs: &OutputFilenames,
    ) {
        // Nothing refers to a dependency's artifact, so its member of the rlib is linked only if asked for.
        let symbols: Vec<_> = crate_info
            .used_crates
            .iter()
            .filter(|krate| {
                let source = &crate_info.used_crate_source[*krate];
                source.rlib.as_deref().is_some_and(driver::rlib_has_artifact)
            })
            .map(|krate| (driver::artifact_symbol(crate_info.crate_name[krate].as_str()), SymbolExportKind::Data))
            .collect();
        for crate_type in [CrateType::Executable, CrateType::Cdylib, CrateType::Dylib] {
            if let Some(linked) = crate_info.linked_symbols.get_mut(&crate_type) {
                linked.extend(symbols.iter().cloned());
            }
        }
        self.llvm.link(session, modules, crate_info, metadata, outputs);
    }
}

/// rustc's entry into a backend library.
#[unsafe(no_mangle)]
pub fn __rustc_codegen_backend() -> Box<dyn CodegenBackend> {
    // Not `get_codegen_backend`: it remembers the first backend loaded, this one.
    Box::new(Oxide { llvm: rustc_codegen_llvm::LlvmCodegenBackend::new() })
}
