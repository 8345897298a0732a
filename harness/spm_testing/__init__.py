"""Test servers, fault injection, power cuts, differential tests and benchmarks of spm. No shipped module imports it."""
