"""The processes of a run. They are always stopped at its end."""

import os
import signal
import socket
import subprocess
import time
import urllib.request

SECONDS_TO_START = 60
SECONDS_TO_STOP = 5


def free_port() -> int:
    """A free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run(command: list[str], answers: str = "", **environment: str) -> tuple[int, str]:
    """Runs a command that reads these answers, and gives its status and output. An interrupt also ends the command's child processes."""
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    ) as started:
        try:
            output, _ = started.communicate(answers)
        except BaseException:
            end(started)
            raise
    return started.returncode, output


def end(process: subprocess.Popen) -> None:
    """Ends a process and its process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(SECONDS_TO_STOP)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


class Process:
    """A server in its own process group, so that its child processes are stopped with it."""

    def __init__(self, name: str, command: list[str], url: str, log_path: str, **environment: str):
        self.name, self.url, self.log_path = name, url, log_path
        with open(log_path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, **environment}, stdout=log, stderr=log, start_new_session=True
            )

    def wait(self) -> None:
        """Waits until the server answers. If it does not, fails with the end of its log."""
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=2).close()
                return
            except OSError:
                time.sleep(0.1)
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            raise SystemExit(f"{self.name} does not answer at {self.url}:\n{log.read()[-2000:]}")

    def stop(self) -> None:
        """Ends the process group."""
        end(self.process)
