"""Collects the recorded forms of the store's calls into forms.jsonl: `forms.py FOLDER` writes the file, and `forms.py FOLDER check`
fails if the folder has a form that the file lacks."""

import json
import sys
from pathlib import Path

FORMS = Path(__file__).with_name("forms.jsonl")
TABLES = {"accounts", "entries"}


def tables(form) -> set[str]:
    """The tables that a form names."""
    if isinstance(form, list):
        return set().union(*map(tables, form))
    if isinstance(form, dict):
        named = {form["TableName"]} if isinstance(form.get("TableName"), str) else set(form.get("RequestItems", {}))
        return named.union(*map(tables, form.values()))
    return set()


def main(folder: str, *check: str) -> str | int:
    """Gives what is wrong, or 0."""
    lines = {line for path in Path(folder).iterdir() for line in path.read_text(encoding="utf-8").splitlines()}
    forms = {line for line in lines if tables(json.loads(line)) <= TABLES and not line.startswith('["DescribeTable"')}
    if not check:
        FORMS.write_text("".join(f"{line}\n" for line in sorted(forms)), encoding="utf-8")
        return 0
    new = forms - set(FORMS.read_text(encoding="utf-8").splitlines())
    return "".join(f"new form, run `make engine-forms`: {line}\n" for line in sorted(new)) or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
