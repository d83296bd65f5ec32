"""What was compiled before, found again: files that appear whole, the store with its keys and its remote layer, the compiler in front."""
