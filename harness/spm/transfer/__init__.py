"""Bytes from elsewhere: addresses, connections, credentials, and downloads that let nothing through that differs."""
