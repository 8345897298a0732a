"""Archives: recognised, decompressed and unpacked by rules of our own."""
