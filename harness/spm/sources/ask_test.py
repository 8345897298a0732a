import io
import os
import pty
import subprocess
import sys
import unittest
from unittest import mock

from harness.spm import user_file
from harness.spm.settings import ROOT, Settings
from harness.spm.sources import apt, ask
from harness.spm_testing.archives import deb
from harness.spm_testing.test_case import SpmTestCase, pin

UBUNTU: tuple[list[str], str] = ([], "this machine runs ubuntu, not Debian")
QUESTION = "address of a Debian mirror, the part before /pool (Enter: none): "
REASON = "spm: no Debian mirror is known: this machine runs ubuntu, not Debian. What is fetched are Debian's packages, by their hash.\n"


class AskTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        user_file._read.cache_clear()
        self.addCleanup(user_file._read.cache_clear)
        self.sources["main"] = {"type": "debian", "suite": "bookworm"}
        self.add("a", dict(pin(deb(), "pool/a.deb"), sources=["main"]))
        self.server.files = {"/debian/pool/a.deb": deb(), "/debian/dists/bookworm/InRelease": b"index"}
        os.environ["XDG_CONFIG_HOME"] = f"{self.folder}/config"
        os.environ.pop("SPM_DEBIAN_MIRROR", None)

    def install(self, answers: str, person: bool = True) -> tuple[int, str]:
        with mock.patch.object(apt, "debian_mirrors", return_value=UBUNTU), \
                mock.patch.object(ask, "has_person", return_value=person), mock.patch.object(sys, "stdin", io.StringIO(answers)):
            result = self.spm("install", "a")
        return result.status, result.err

    def kept(self) -> str:
        with open(user_file.path(), encoding="utf-8") as file:
            return file.read()

    def test_a_mirror_is_asked_for_once_and_kept(self) -> None:
        base = f"{self.server.base}/debian"
        status, err = self.install(f"{base}/\n")
        self.assertEqual(status, 0, err)
        self.assertTrue(err.startswith(f"{REASON}{QUESTION}spm: kept in "), err)
        self.assertEqual(self.kept(), f"debian-mirror = {base}\n")
        self.store, self.lib = f"{self.folder}/store2", f"{self.folder}/lib2"
        status, err = self.install("")
        self.assertEqual((status, QUESTION in err), (0, False), err)

    def test_what_the_file_has_stays(self) -> None:
        os.makedirs(f"{self.folder}/config/spm")
        with open(user_file.path(), "w", encoding="utf-8") as file:
            file.write("# mine")
        self.assertEqual(self.install(f"{self.server.base}/debian\n")[0], 0)
        self.assertEqual(self.kept(), f"# mine\ndebian-mirror = {self.server.base}/debian\n")

    def test_a_wrong_answer_is_told_and_asked_again(self) -> None:
        wrong = f"{self.server.base}/wrong"
        status, err = self.install(f"nonsense\n{wrong}\n{self.server.base}/debian\n")
        self.assertEqual((status, err.count(QUESTION)), (0, 3), err)
        self.assertIn(" has no index of bookworm: ", err)
        self.assertIn("expected an address or an existing folder, found 'nonsense'", err)

    def test_who_has_none_gets_the_error_of_a_machine_without_a_terminal(self) -> None:
        _, alone = self.install("", person=False)
        self.assertIn("hint: set SPM_DEBIAN_MIRROR to", alone)
        self.assertNotIn(QUESTION, alone)
        status, err = self.install("\n")
        self.assertEqual((status, err), (1, f"{REASON}{QUESTION}{alone}"))

    def test_a_file_that_cannot_be_written_is_told(self) -> None:
        with mock.patch.object(user_file, "keep", side_effect=OSError(30, "Read-only file system")):
            status, err = self.install(f"{self.server.base}/debian\n")
        self.assertEqual(status, 0, err)
        self.assertIn("used for this run only, because ", err)

    def test_nobody_is_asked_without_a_terminal_or_in_its_background(self) -> None:
        self.assertFalse(ask.has_person(Settings()))
        code = (
            "import fcntl, os, sys, termios; from harness.spm.sources import ask; from harness.spm.settings import Settings\n"
            "fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.environ.pop('CI', None); os.chdir('/')\n"
            "print(ask.has_person(Settings()), ask.has_person(Settings(quiet=True)), flush=True)\n"
            "if os.fork() == 0: os.setpgid(0, 0); print(ask.has_person(Settings()), flush=True); os._exit(0)\n"
            "os.wait()"
        )
        terminal, end = pty.openpty()
        done = subprocess.run([sys.executable, "-c", code], stdin=end, stderr=end, stdout=subprocess.PIPE, cwd=ROOT,
                              start_new_session=True, text=True, check=True)
        os.close(terminal)
        os.close(end)
        self.assertEqual(done.stdout, "True False\nFalse\n")


if __name__ == "__main__":
    unittest.main()
