"""Takes the handling of one fault away at a time: the test of that fault must fail, or it tests nothing."""

import concurrent.futures
import shutil
import subprocess
import tempfile
import unittest

from harness.spm.settings import ROOT
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.test_case import PYTHON

DOWNLOAD, TRANSPORT = "transfer/download.py", "sources/transport.py"
CONNECTION = "sources/connection.py"
TOGETHER = "settimeout(self._deadline.left_s())\n        return"  # the waits of one answer
TUNNEL = "unittest harness.spm.sources.connection_test.DripTest.test_a_tunnel"
TLS = "unittest harness.spm.sources.connection_test.DripTest.test_a_server_by_tls"
UPLOAD = "unittest harness.spm.sources.connection_test.UploadTest"
CONNECT = "unittest harness.spm.sources.connection_test.ConnectTest"
INTERIM = "unittest harness.spm.sources.connection_test.DripTest.test_interim_answers_are_skipped"
ANEW = "unittest harness.spm.transfer.resume_test.ResumeTest.test_a_part_that_no_server_continues_is_fetched_anew"
STAYS = "unittest harness.spm.transfer.resume_test.ResumeTest.test_a_part_stays_until_the_whole_arrives"
RESUME = "unittest harness.spm.transfer.resume_test.ResumeTest.test_what_was_left_is_used_as_far_as_it_is_good"

# the fault (of faults_test.py) or the test that must fail; the file; what handles it; what is put in its place
MUTANTS = [
    ("truncation", DOWNLOAD, "if part.length < artifact.size:\n            raise", "if False:\n            raise"),
    ("truncation without a length", DOWNLOAD, 'artifact.size:,} bytes", passing=True)', 'artifact.size:,} bytes")'),
    ("wrong hash", DOWNLOAD, "if part.digest() != artifact.sha256:\n            reason", "if False:\n            reason"),
    ("wrong length", DOWNLOAD, "if body.length not in (None, artifact.size):", "if False:"),
    ("more than announced", DOWNLOAD, "if part.length + len(piece) > artifact.size:", "if False:"),
    ("401", TRANSPORT, "if code == 401:", "if False:"),
    ("403", TRANSPORT, "if code in (401, 403) and", "if False and"),
    ("404", TRANSPORT, '    404: "not there",\n', ""),
    ("404", DOWNLOAD, "attempts.append(Attempt(name, place,", "raise FetchFailed(artifact, attempts)(Attempt(name, place,"),
    ("429", TRANSPORT, "status in (408, 425, 429) or", "status in (408, 425) or"),
    ("500", TRANSPORT, " or status >= 500", ""),
    ("stall", CONNECTION, TOGETHER, "settimeout(None)\n        return"),
    ("trickle", TRANSPORT, "if done - self._seen < _SLOWEST_BYTES_S * elapsed:", "if False:"),
    *(
        (fault, CONNECTION, TOGETHER, "settimeout(self._deadline.seconds)\n        return")
        for fault in (
            "header by header",
            "header byte by byte",
            "100 Continue for ever",
            "flood of 100 Continue",
            "chunk size digit by digit",
            "chunk extension byte by byte",
            "trailer by trailer",
            "error byte by byte",
            TUNNEL,
            TLS,
        )
    ),
    ("redirect after redirect", TRANSPORT, "request.timeout.left_s()", "request.timeout.renew()"),
    ("flood of an error", TRANSPORT, "error.read1(_MOST_ANSWER - len(answer))", "error.read()"),
    ("flood of a redirect", TRANSPORT, "file.close()  # else", "pass  # else"),
    ("chunk of an odd size", TRANSPORT, "error.read1(", "error.read("),
    ("another range", TRANSPORT, "if begins not in (0, offset):", "if False:"),
    ("a date beyond measure", TRANSPORT, "except (ValueError, OverflowError):", "except ValueError:"),
    ("a reason beyond measure", TRANSPORT, "error.reason[:_MOST_REASON]", "error.reason"),
    ("redirect to no address", TRANSPORT, "except (ValueError, http.client.InvalidURL):", "except ZeroDivisionError:"),
    (UPLOAD, CONNECTION, "self.timeout.renew()  # an", "pass  # an"),
    (UPLOAD, TRANSPORT, "self._pace.check(self._file.tell())", "pass"),
    ("reset in mid-body", TRANSPORT, "raise failure(error) from None", "raise"),
    ("reset at once", TRANSPORT, '({type(error).__name__})", passing=True)', '({type(error).__name__})")'),
    ("redirect loop", TRANSPORT, "elif str(error.reason).startswith(_Redirects.inf_msg):", "elif False:"),
    ("redirect to another host", TRANSPORT, "follow.remove_header(name)", "pass"),
    ("redirect with a password", TRANSPORT, 'if "@" in target.netloc:', "if False:"),
    ("HTML", DOWNLOAD, "is_page = body.kind in PAGE_KINDS or", "is_page ="),
    ("HTML as an archive", DOWNLOAD, "or _begins_page(body.read(_PIECE))", "or False"),
    (RESUME, DOWNLOAD, "if done < most or artifact.size < done", "if False or artifact.size < done"),
    ("202", TRANSPORT, "if response.status == 202:", "if False:"),
    (ANEW, DOWNLOAD, "if part.length and not anew and (error", "if False and (error"),
    (ANEW, DOWNLOAD, " or (brought_nothing and not error.passing)):", "):"),
    (ANEW, DOWNLOAD, "anew = brought_nothing and (anew or tries == 1)", "anew = False"),
    (STAYS, DOWNLOAD, "part, 0 if anew else part.length)", "part, part.clear() or 0 if anew else part.length)"),
    (CONNECT, CONNECTION, "_answered[address] = _race(", "_ = _race("),
    (CONNECT, CONNECTION, "raise min(errors, key=_says_little)", "raise errors[0]"),
    (INTERIM, CONNECTION, "while found[1] in (102, 103):", "while False:"),
    (RESUME, DOWNLOAD, "raise TransferError(reason, passing=body.offset > 0)", "raise TransferError(reason)"),
    (RESUME, DOWNLOAD, "if part.length > artifact.size or part.digest() != artifact.sha256:", "if False:"),
    (RESUME, TRANSPORT, "if offset and validator:", "if False:"),
    (RESUME, "transfer/part.py", "if offset != self.length:", "if False:"),
]


def run_with(what: str, file: str, text: str, replacement: str) -> str:
    """The last line of `what`'s tests after the replacement in a copy of spm."""
    with tempfile.TemporaryDirectory(prefix="spm-mutant-") as folder:
        for name in ("spm", "spm_testing"):
            shutil.copytree(f"{ROOT}/harness/{name}", f"{folder}/harness/{name}")
        for name in ("make.py", "harness/__init__.py"):
            shutil.copy(f"{ROOT}/{name}", f"{folder}/{name}")
        path = f"{folder}/harness/spm/{file}"
        with open(path, encoding="utf-8") as source:
            code = source.read()
        if code.count(text) != 1:
            return f"expected once in {file}, found {code.count(text)} times: {text}"
        with open(path, "w", encoding="utf-8") as source:
            source.write(code.replace(text, replacement))
        fault = ["harness.spm.transfer.faults_test", what, "-k", "alone"]
        arguments = what.split() if what.startswith("unittest ") else fault
        done = subprocess.run(
            [*PYTHON, "-m", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=4 * PATIENCE_S,
        )
        return done.stdout.splitlines()[-1]


class MutantsTest(unittest.TestCase):
    def test_the_test_of_a_fault_fails_without_its_handling(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            ends = pool.map(run_with, *zip(*MUTANTS))
            for mutant, end in zip(MUTANTS, ends):
                with self.subTest(mutant):
                    self.assertRegex(end, r"^FAILED \(failures=\d+\)$")


if __name__ == "__main__":
    unittest.main()
