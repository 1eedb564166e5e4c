"""The report of a trial, in Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Section:
    """A part of the report."""

    title: str
    lines: list[str]


@dataclass
class Report:
    """The content of the report so far. It is written at the end of the run, also after a failure."""

    facts: dict[str, str]
    sections: list[Section] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Writes the report, with the faults first."""
        lines = ["# Trial deployment", "", *table(("", ""), self.facts.items()), ""]
        lines += ["All steps ran." if not self.faults else "**Some steps failed:**", ""]
        lines += [f"- {fault}" for fault in self.faults]
        for section in self.sections:
            lines += ["", f"## {section.title}", "", *section.lines]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """The lines of a table."""
    head = list(head)

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return [line(head), "|" + "---|" * len(head), *map(line, rows)]
