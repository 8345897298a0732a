"""A page that was packed has the contents that it had, and its scripts run as they did."""

import base64
import gzip
import json
import re
import shutil
import subprocess
import unittest

from harness.make.packed_page import DATA, UNPACK, packed

PAGE = ("<meta content=\"script-src 'nonce-abc'\">\n<body><main id=\"main\">\n<p>text \u00e9 \\1</p></main>\n"
        + "".join(f'<script type="application/json" id="{name}">{{"{name}": 1}}</script>\n' for name in DATA)
        + '<script defer nonce="abc" src="vega.js"></script>\n<script defer nonce="abc" src="report.js"></script>\n</body>')

NODE = shutil.which("node")

# As much of a browser as unpacks a page: says what happens, in its order.
BROWSER = """const said = [], elements = {packed: {textContent: %s, remove() { said.push('unpacked'); }}};
globalThis.document = {
  currentScript: {nonce: 'abc'},
  getElementById: (id) => elements[id] ??= {},
  createElement: () => ({}),
  body: {append(script) { said.push(`${script.src} runs with ${script.nonce} in ${elements.main.innerHTML}`); setTimeout(script.onload); }},
  dispatchEvent({type}) { said.push(type); console.log(JSON.stringify(said)); },
};
"""


def content(page: str) -> str:
    found = re.search(r'id="packed">([^<]+)<', page)
    assert found
    return found[1]


class PackedPage(unittest.TestCase):
    def test_it_has_the_same_contents_and_data(self) -> None:
        made = packed(PAGE)
        parts = json.loads(gzip.decompress(base64.b64decode(content(made))))
        self.assertEqual(parts, {"main": "<p>text \u00e9 \\1</p>", "scripts": ["vega.js", "report.js"],
                                 "data": {name: f'{{"{name}": 1}}' for name in DATA}})
        self.assertNotIn("text \u00e9", made)
        self.assertIn('<script nonce="abc">', made)
        self.assertEqual(made, packed(PAGE))

    @unittest.skipUnless(NODE, "needs node")
    def test_its_scripts_run_in_their_order_and_are_told_then_that_the_document_is_complete(self) -> None:
        browser = BROWSER % json.dumps(content(packed(PAGE)))
        done = subprocess.run([NODE or "", "-e", browser + UNPACK], capture_output=True, text=True, check=True)
        text = "<p>text \u00e9 \\1</p>"
        self.assertEqual(json.loads(done.stdout), [f"vega.js runs with abc in {text}", f"report.js runs with abc in {text}",
                                                   "unpacked", "DOMContentLoaded"])


if __name__ == "__main__":
    unittest.main()
