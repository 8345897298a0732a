"""A headless Chromium for checks of pages. Needs only Python's standard library and Chromium."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import Any

LIMIT_SECONDS = 600  # for each wait, generous for a busy machine

# What a screen reader or a keyboard cannot use, by axe-core, which must be in the page.
AXE = """axe.run(document, {resultTypes: ['violations'], preload: false}).then(({violations}) => violations.flatMap(({id, help, nodes}) =>
  nodes.slice(0, 3).map(({html, any, all, none}) =>
    `axe: ${id}: ${help} (${nodes.length} times): ${html.slice(0, 120)}: ${[...any, ...all, ...none].map(({message}) => message).join('; ').slice(0, 200)}`)))"""


class Browser:
    """One headless Chromium, spoken to in its own protocol."""

    def __init__(self, name: str, program: str, profile: str, state: str = "location.href") -> None:
        """`name`: of the check, in errors; `state`: a script that says what the page is like, where a wait is too long."""
        self.name, self.state = name, state
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # The shell gives the pipes the numbers that Chromium expects.
        shell = 'exec "$0" "$@" 3<&%d 4>&%d' % (theirs_in, theirs_out)
        self.process = subprocess.Popen(
            ["bash", "-c", shell, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer, self._id = b"", 0
        self._session: str | None = None
        self.complaints: list[str] = []
        page = next(target for target in self.targets() if target["type"] == "page")
        self.attach(page["targetId"])

    def attach(self, target: str) -> str:
        """From now on, it speaks to this page. Its session, for use()."""
        self._session = None
        session: str = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = session
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        return session

    def open_tab(self) -> str:
        self._session = None
        return self.attach(self.ask("Target.createTarget", url="about:blank")["targetId"])

    def use(self, session: str) -> None:
        self._session = session

    def targets(self) -> list[dict[str, Any]]:
        """Its pages and workers. It speaks to none of them until attach() or use()."""
        self._session = None
        found: list[dict[str, Any]] = self.ask("Target.getTargets")["targetInfos"]
        return found

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._in)
        os.close(self._out)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._id += 1
        message: dict[str, Any] = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise SystemExit(f"{self.name}: error: {method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def run(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{self.name}: error: {answer['exceptionDetails']['exception'].get('description', answer)}")
        return answer["result"].get("value")

    def wait(self, script: str, what: str) -> None:
        """Until `script` is true of the page."""
        end = time.monotonic() + LIMIT_SECONDS
        while not self.run(script):
            if time.monotonic() > end:
                raise SystemExit(f"{self.name}: error: waited {LIMIT_SECONDS} s for {what}; found {self.run(self.state)}")
            time.sleep(0.05)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise SystemExit(f"{self.name}: error: Chromium ended; run it by hand to see why")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        event: dict[str, Any] = json.loads(message)
        return event

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"].get("text", "") + " " +
                                   parameters["exceptionDetails"].get("exception", {}).get("description", ""))
        if event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.complaints.append(" ".join(str(one.get("value", "")) for one in parameters["args"]))
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}".strip())
