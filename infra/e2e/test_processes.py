"""Tests that the processes of a run end with it."""

import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from processes import run


class Run(unittest.TestCase):
    """A command that ends, and one that is interrupted."""

    def test_status_and_output_are_given(self):
        self.assertEqual(run(["sh", "-c", "echo $GREETING; echo two >&2; exit 3"], GREETING="one"), (3, "one\ntwo\n"))

    def test_an_interrupt_also_ends_child_processes(self):
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        with tempfile.TemporaryDirectory() as folder:
            number = Path(folder) / "number"
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            try:
                with self.assertRaises(KeyboardInterrupt):
                    run(["sh", "-c", f"sleep 60 > /dev/null & echo $! > {number}; wait"])
            finally:
                signal.signal(signal.SIGALRM, before)
            self.assertTrue(gone(int(number.read_text())))


def gone(process: int) -> bool:
    """Whether a process has ended within a second."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        # The process is a zombie: it has ended, and its new parent has not waited for it yet.
        if Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


if __name__ == "__main__":
    unittest.main()
