"""The progress and the report of a trial, in Markdown."""

import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

STARTED = time.monotonic()


def say(step: str) -> None:
    """Prints the progress. A closed terminal is ignored, so that it cannot stop the removal."""
    with contextlib.suppress(OSError):
        print(f"{time.monotonic() - STARTED:6.1f} s  {step}", flush=True)


@dataclass
class Report:
    """The content of the report so far. It is written at the end of the run, also after a failure."""

    facts: dict[str, str]
    sections: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def write(self, path: Path, left: list[str]) -> None:
        """Writes the report, with the faults first, among them what the removal has left."""
        self.faults += [f"not removed: {one}" for one in left]
        self.sections["Removed"] = ["Metrics remain for 15 months and traces for 30 days. They contain the trial's name and no personal data."]
        lines = ["# Trial deployment", "", *table(("", ""), self.facts.items()), ""]
        lines += ["**Some steps failed:**" if self.faults else "All steps ran.", "", *(f"- {fault}" for fault in self.faults)]
        for title, section in self.sections.items():
            lines += ["", f"## {title}", "", *section]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def table(head: tuple, rows: Iterable[tuple]) -> list[str]:
    """The lines of a table."""
    return ["| " + " | ".join(map(str, cells)) + " |" for cells in (head, ("---",) * len(head), *rows)]
