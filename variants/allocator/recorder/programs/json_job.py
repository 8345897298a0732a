"""What Python is recorded with: writes and reads JSON, and rearranges it."""

import json
from typing import Any

rows: list[dict[str, Any]] = [{"id": i, "name": f"row {i}", "tags": [f"tag {i % 17}", f"tag {i % 5}"], "size": i * 37 % 1000,
         "parent": {"id": i // 3, "depth": i % 9}} for i in range(4000)]
for _ in range(3):
    text = json.dumps(rows)
    rows = json.loads(text)
    by_tag: dict[str, list[int]] = {}
    for row in rows:
        for tag in row["tags"]:
            by_tag.setdefault(tag, []).append(row["size"])
    rows = [row for row in rows if row["size"] % 10 != 3]
print(len(rows), sorted((tag, sum(sizes)) for tag, sizes in by_tag.items())[0])
