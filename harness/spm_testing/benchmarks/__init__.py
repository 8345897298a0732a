"""What spm's speed claims are measured with. Each prints a figure, its goal, and whether it is met."""
