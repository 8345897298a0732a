"""A page of a report as a smaller file: its contents are compressed, and the browser unpacks them. It opens from disk as
before, but shows nothing without scripts. For pages that are kept, such as the reference."""

import base64
import gzip
import json
import re

DATA = ("charts", "matrices", "replays")
"""The ids of the page's data (harness/report/page/page.html)."""

# The scripts of the page find a document that is complete, and are told so when all have run, as deferred ones are: they
# follow the page's address then.
UNPACK = """(async () => {
  const {nonce} = document.currentScript, packed = document.getElementById('packed');
  const bytes = Uint8Array.from(atob(packed.textContent), (one) => one.charCodeAt(0));
  const parts = JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
  document.getElementById('main').innerHTML = parts.main;
  for (const [id, text] of Object.entries(parts.data)) document.getElementById(id).textContent = text;
  for (const src of parts.scripts)
    await new Promise((then) => document.body.append(Object.assign(document.createElement('script'), {nonce, src, onload: then})));
  packed.remove();
  document.dispatchEvent(new Event('DOMContentLoaded'));
})();"""

WITHOUT = "<noscript><p>This page is compressed, and needs scripts to be unpacked. summary.md has its figures.</p></noscript>\n"


def packed(page: str) -> str:
    """The same page, compressed."""
    nonce = re.search(r"'nonce-([^']+)'", page)
    main = re.search(r'(<main id="main">\n)(.*)(</main>)', page, re.S)
    assert nonce and main, "this is no page of a report"
    data = {}
    end = page[main.end():]
    for name in DATA:
        found = re.search(rf'(<script type="application/json" id="{name}">)(.*?)(</script>)', end, re.S)
        assert found, f"the page has no {name}"
        data[name] = found[2]
        end = end[:found.start(2)] + end[found.end(2):]
    scripts = re.findall(r'<script defer [^>]*src="([^"]+)"></script>\n?', end)
    end = re.sub(r'<script defer [^>]*src="[^"]+"></script>\n?', "", end)
    text = json.dumps({"main": main[2], "data": data, "scripts": scripts})
    # Without a time, so that equal pages are equal files.
    content = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    boot = f'<script type="text/plain" id="packed">{content}</script>\n<script nonce="{nonce[1]}">{UNPACK}</script>\n'
    return page[:main.end(1)] + WITHOUT + main[3] + end.replace("</body>", f"{boot}</body>")
