"""The committed recordings are those that traces.json names."""

import hashlib
import json
import pathlib
import unittest

TRACES = pathlib.Path(__file__).resolve().parents[1] / "traces"


class Traces(unittest.TestCase):
    def test_are_the_recordings_that_traces_json_describes(self) -> None:
        found = {file.stem: {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size,
                             "requests": int.from_bytes(file.read_bytes()[17:21], "little")}
                 for file in TRACES.glob("*.trace")}
        described = json.loads((TRACES / "traces.json").read_text())
        for trace in described.values():
            self.assertNotEqual(trace.pop("command"), "")
        self.assertEqual(found, described)


if __name__ == "__main__":
    unittest.main()
