"""What tests and measures spm: servers, faults, power cuts, comparisons, benchmarks. Nothing that ships imports it."""
