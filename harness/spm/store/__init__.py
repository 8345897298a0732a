"""The store on this machine, its locks and pruning, and the lib folders that use it."""
