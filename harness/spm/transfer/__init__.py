"""Verified downloads, uploads, and their progress."""
