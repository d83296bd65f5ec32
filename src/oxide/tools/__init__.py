"""NVIDIA's tools and libraries, and the GPU: where they are on this machine, and what installs them."""
