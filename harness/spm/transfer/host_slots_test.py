"""How much is asked of one host at once, and that a slow one keeps nobody else waiting."""

import email.utils
import threading
import time
import unittest

from harness.spm.errors import Cancelled
from harness.spm.sources import transport
from harness.spm.transfer.host_slots import PER_HOST, HostSlots, most_at_once
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import Server, refuse, send_file
from harness.spm_testing.test_case import SpmTestCase, pin
from collections.abc import Callable
from typing import Any

DATA = [deb(member(f"./{number}")) for number in range(20)]


class Crowd:
    """An answer that counts how many ask at once, and keeps them all until `go`."""

    def __init__(self) -> None:
        self.most = self._now = 0
        self.full, self.go, self._lock = threading.Event(), threading.Event(), threading.Lock()

    def answer(self, data: bytes) -> Callable[..., Any]:
        def answer(handler) -> None:
            with self._lock:
                self._now += 1
                self.most = max(self.most, self._now)
                if self._now == PER_HOST:
                    self.full.set()
            self.go.wait(PATIENCE_S)
            with self._lock:
                self._now -= 1
            send_file(handler, data)

        return answer


class HostsTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.second = Server()
        self.addCleanup(self.second.close)
        self.sources["second"] = {"type": "http", "base": self.second.base}

    def crowd(self) -> Crowd:
        """Twenty artifacts at the first host, all asked for before the one at the second."""
        crowd = Crowd()
        for number, data in enumerate(DATA):
            self.server.files[f"/{number}"] = crowd.answer(data)
            self.add(f"p{number}", pin(data, str(number)))
        small = deb()
        self.add("small", dict(pin(small, "small"), sources=["second"]))
        self.assertLess(len(small), min(map(len, DATA)))

        def last(handler) -> None:
            crowd.full.wait(PATIENCE_S)
            send_file(handler, small)
            crowd.go.set()  # the first host answers nobody until the second was asked

        self.second.files["/small"] = last
        return crowd

    def test_a_host_is_asked_by_so_many_at_once_and_another_meanwhile(self) -> None:
        crowd = self.crowd()
        result = self.spm("install-group", "all", "--jobs", "7", "--quiet")
        self.assertEqual((result.status, result.err), (0, ""))
        self.assertEqual((crowd.most, self.second.asked), (PER_HOST, ["/small"]))

    def test_the_jobs_are_all_there_are(self) -> None:
        crowd = self.crowd()
        crowd.go.set()
        crowd.full.set()
        self.assertEqual(self.spm("install-group", "all", "--jobs", "1", "--quiet").status, 0)
        self.assertEqual(crowd.most, 1)

    def test_a_dated_archive_is_asked_by_two_at_once(self) -> None:
        self.assertEqual(most_at_once("https://snapshot.example.org"), 2)
        self.assertEqual(most_at_once("https://example.org"), PER_HOST)


class WaitTest(SpmTestCase):
    def busy_once(self, seconds: str):
        """A server that answers the first request with `Retry-After`; the times of all requests."""
        times = []

        def answer(handler) -> None:
            times.append(time.monotonic())
            if len(times) == 1:
                refuse(429, "Slow down", ("Retry-After", seconds))(handler)
            else:
                send_file(handler, DATA[0])

        self.add("a", dict(self.serve("a.deb", DATA[0])))
        self.server.files["/a.deb"] = answer
        return times

    def test_a_server_gets_the_pause_it_asks_for_and_the_user_is_told(self) -> None:
        times = self.busy_once("1")
        result = self.spm("install", "a")
        self.assertRegex(result.err, "^spm: SERVER asks to wait 1.0 s\nspm: 1 package active in ")
        self.assertGreaterEqual(times[1] - times[0], 0.99)

    def test_a_long_one_is_not_waited_for_while_another_source_is_left(self) -> None:
        times = self.busy_once("100")
        self.sources["other"] = {"type": "http", "base": f"{self.server.base}/other"}
        self.packages["a"]["artifacts"][0]["sources"] = ["main", "other"]
        second = Server()
        self.addCleanup(second.close)
        second.files["/a.deb"] = DATA[0]
        self.sources["other"]["base"] = second.base
        result = self.spm("install", "a", "--json")
        events = [each for each in result.objects() if each["event"] in ("asked_to_wait", "attempt_failed")]
        self.assertEqual(events[0], {"event": "asked_to_wait", "place": "SERVER", "seconds": 60})
        self.assertRegex(events[1]["reason"], "^the server asks to wait ")
        self.assertEqual((result.status, len(times)), (0, 1))

    def test_the_pause_is_a_number_or_a_date(self) -> None:
        now = 1_700_000_000.0
        date = lambda seconds: email.utils.formatdate(now + seconds, usegmt=True)
        cases = {"0": 0, "17": 17, date(30): 30, date(-30): 0, "": 0, "soon": 0, "-1": 0, "1.5": 0, "9" * 30: 999999999}
        self.assertEqual({text: transport._retry_after(text, now) for text in cases}, cases)


class HostSlotsTest(unittest.TestCase):
    def test_the_end_of_a_run_frees_whoever_waits(self) -> None:
        slots, seen = HostSlots(1), []

        def wait(place: str) -> None:
            try:
                with slots.at(place):
                    seen.append("had a slot")
            except Cancelled:
                seen.append("cancelled")

        with slots.at("http://a"):
            slots.close_for("http://c", 100)
            threads = [threading.Thread(target=wait, args=(f"http://{host}",)) for host in "abc"]
            for thread in threads:
                thread.start()
            slots.cancel()
            for thread in threads:
                thread.join(PATIENCE_S)
        wait("http://d")
        self.assertEqual(seen, ["cancelled"] * 4)

    def test_a_host_is_said_to_be_closed_once(self) -> None:
        slots = HostSlots(1)
        self.assertEqual([slots.close_for("a", seconds) for seconds in (50, 50, 40, 60)], [True, False, False, True])
        self.assertAlmostEqual(slots.closed_s("a"), 60, delta=5)


if __name__ == "__main__":
    unittest.main()
