"""Benchmarks behind spm's speed claims. Each prints a figure, its goal, and whether it is met."""
