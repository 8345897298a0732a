"""What lies on this machine: the store, its locks and pruning, and the lib folders that use it."""
