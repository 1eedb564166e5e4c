"""The tables of docs/engine.md, which are made of differences.toml. With GENERATED=write, a run writes them."""

import os
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/engine.md"
MARK = "\n## Differences\n"
HEADS = {"embedded": "the embedded engine", "MiniStack": "MiniStack", "dynalite": "dynalite"}


def tables(told: dict) -> str:
    """What all engines answer otherwise than documented, and for each engine its known differences."""
    rows = [f"| {one['call']} | {one['documented']} ([source]({one['source']})) |\n" for one in told["documented"] if one.get("wrong")]
    text = f"\n| All engines that know the call accept | What AWS documents |\n|---|---|\n{''.join(rows)}"
    for engine, name in HEADS.items():
        rows = [f"| {one['call']} | {one['answer']} | {one['documented']} ([source]({one['source']})) |\n" for one in told['difference'] if one["wrong"] == engine]
        text += f"\n| Asked | Answer of {name} | What AWS documents |\n|---|---|---|\n{''.join(rows)}"
    return text


def fault(told: dict) -> str | None:
    """What is wrong with the document, if anything."""
    before, mark, _ = DOCUMENT.read_text(encoding="utf-8").partition(MARK)
    wanted = before + mark + tables(told)
    if os.environ.get("GENERATED") == "write":
        DOCUMENT.write_text(wanted, encoding="utf-8")
    is_current = DOCUMENT.read_text(encoding="utf-8") == wanted
    return None if is_current and mark else f"{DOCUMENT.name} is out of date: run `GENERATED=write make test-engine`"
