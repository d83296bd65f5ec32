"""The three dialects: `mir` means what Rust MIR means, `nvvm` what a GPU offers, `llvm` is LLVM IR."""
