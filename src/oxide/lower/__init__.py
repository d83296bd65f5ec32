"""The two lowerings: `mir` to `nvvm`, and both to `llvm`. One function an op, one file a topic."""
