"""The real server as a child process, on ports that the system chooses."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = [ROOT / ".build" / kind / "drawbolt" for kind in ("release", "debug")]
PROGRAM = os.environ.get("DRAWBOLT") or str(next(filter(Path.exists, BUILT), BUILT[0]))
DEMO = (1, 4, 7, 8, 5)
WRONG = (0, 1, 2, 5)


class Server:
    """Runs until `stop`; its data outlive it, so that it can be started again."""

    def __init__(self, data, port=0, *flags, before=()):
        """The words `before` are a command that starts the program."""
        self.data = data
        self.process = subprocess.Popen(
            [*before, PROGRAM, "serve", "--dev", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0",
             "--data-directory", str(data), "--web-root", str(ROOT / "web"),
             # A busy machine is no reason for an attempt to go unjudged.
             "--limits-verdict-time", "60s", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log = []
        threading.Thread(target=self._read_log, daemon=True).start()
        self.addresses = {}
        for line in self.process.stdout:
            name, _, address = line.strip().partition(" ")
            self.addresses[name] = address.strip()
            if name == "metrics":
                break
        assert "pad" in self.addresses, "".join(self.log)
        self.site = re.match(r"https?://[^/]+", self.addresses["pad"]).group()
        self.port = int(self.site.rsplit(":", 1)[1])
        self.socket = self.site.replace("http", "ws") + "/ws"

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)

    def stop(self):
        """Asks it to stop, and expects that it does so in time and in order."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(timeout=10) == 0, "".join(self.log)
        finally:
            # Whatever went wrong, nothing is left running.
            if self.process.poll() is None:
                self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=10)

    def run(self, *arguments, text=None):
        """One command of the program on this server's data."""
        return subprocess.run(
            [PROGRAM, *arguments, "--dev", "--data-directory", str(self.data)],
            input=text, capture_output=True, text=True, check=True).stdout
