"""Compile Rust kernels to PTX and run them."""
