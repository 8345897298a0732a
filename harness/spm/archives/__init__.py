"""Detects, decompresses and unpacks archives by strict rules."""
