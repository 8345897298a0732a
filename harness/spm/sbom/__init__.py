"""The bill of materials: what packages state about their licences, and the documents made of it."""
