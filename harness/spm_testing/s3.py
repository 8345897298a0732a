"""A real S3 server on loopback for spm's tests: s3rver, which checks every signature.

SPM_TEST_S3RVER names the folder where npm put it (`npm install --prefix FOLDER @20minutes/s3rver@4.0.4`). The original,
s3rver 3.7.1, proves less: it accepts every signature of version 4."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import unittest

BUCKET, KEY, SECRET = "lab", "S3RVER", "S3RVER"
_FOLDER = os.environ.get("SPM_TEST_S3RVER", "")
_PACKAGE = os.path.join(_FOLDER, "node_modules", "@20minutes", "s3rver")
_SCRIPT = """
const [folder, home] = process.argv.slice(1);
new (require(folder))({ address: "127.0.0.1", port: 0, silent: true, directory: home, vhostBuckets: false,
  configureBuckets: [{ name: "lab", configs: [] }] }).run().then(({ port }) => console.log(port));
"""


@functools.cache
def endpoint() -> str:
    """The server's address, started with the first call and stopped with this process; skips the test without one."""
    node = shutil.which("node")
    if not node or not os.path.isdir(_PACKAGE):
        raise unittest.SkipTest("needs node, and SPM_TEST_S3RVER with the folder where npm put @20minutes/s3rver")
    home = tempfile.mkdtemp(prefix="spm-test-s3-")
    server = subprocess.Popen([node, "-e", _SCRIPT, _PACKAGE, home], stdout=subprocess.PIPE, text=True)
    output = server.stdout
    assert output

    def stop() -> None:
        server.kill()
        server.wait()
        output.close()
        shutil.rmtree(home)

    atexit.register(stop)
    port = output.readline().strip()
    if not port.isdigit():
        raise AssertionError("s3rver did not start")
    return f"http://127.0.0.1:{port}"


def environment(secret: str = SECRET) -> dict[str, str]:
    """The environment variables of the server's user, without this machine's own."""
    return {
        "AWS_ENDPOINT_URL_S3": endpoint(),
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
    }
