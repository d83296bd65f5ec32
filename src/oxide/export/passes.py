"""LLVM's passes, by optimisation level."""

from __future__ import annotations

from functools import cache
from typing import Any

PRECISE_ROOTS = "__CUDA_PREC_SQRT"
"""What libdevice's functions ask: whether the square roots of `f32` in them are rounded correctly."""


@cache
def load_llvm() -> Any:
    """Return llvmlite's LLVM with its targets and our options, which hold for the process."""
    import llvmlite.binding as llvm

    # Loops of unknown length are left to ptxas, which unrolls them by the registers there are: LLVM's copies, with an address each, leave
    # too few for loads that run ahead, and ptxas would unroll them once more.
    llvm.set_option("oxide", "--unroll-runtime=false")
    llvm.set_option("oxide", f"--nvvm-reflect-add={PRECISE_ROOTS}=1")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


def unroll(module: Any, machine: Any, level: int) -> None:
    """Run LLVM's passes over a module so that loops whose metadata asks for it are unrolled, and no others."""
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=max(level, 1))
    options.loop_unrolling = options.loop_interleaving = options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)


def optimise(module: Any, machine: Any, level: int) -> None:
    """Run LLVM's default passes of a level over a module for a target machine. Level 0 is the four that code generation needs.

    Without SROA, InstCombine and SimplifyCFG, LLVM's NVPTX code generator is quadratic; of libdevice, it cannot select what later targets
    have instructions for.
    """
    import llvmlite.binding as llvm

    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
    if level == 0:
        manager = llvm.create_new_module_pass_manager()
        manager.add_global_dead_code_eliminate_pass()
        manager.add_sroa_pass()
        manager.add_instruction_combine_pass()
        manager.add_simplify_cfg_pass()
    else:
        manager = passes.getModulePassManager()
    manager.run(module, passes)


def promote(module: Any, machine: Any) -> None:
    """Run the passes that keep in registers what needs no memory any more."""
    import llvmlite.binding as llvm

    manager = llvm.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_new_gvn_pass()
    manager.add_simplify_cfg_pass()
    manager.add_instruction_combine_pass()
    manager.add_aggressive_dce_pass()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3)))
