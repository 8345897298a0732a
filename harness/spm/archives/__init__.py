"""Detects, decompresses and unpacks archives by strict rules, and compares a tree with what was unpacked."""
