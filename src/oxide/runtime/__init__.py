"""Kernels from Python: `load` and `program` compile, `kernel` launches, `arguments` packs, `cuda` and `cpu` are the devices."""
