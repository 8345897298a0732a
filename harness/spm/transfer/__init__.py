"""Network and file transfers: addresses, connections, credentials, and verified downloads."""
