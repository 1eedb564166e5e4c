"""Sends the same calls to the local stack's engine and to others, and compares every answer: `make test-engine`. docs/engine.md says why.

`differences.toml` has the known differences. A new one fails the run, and so does one that is gone. With ENDPOINT, a URL of DynamoDB,
the calls go there instead of to the other engines: to two new tables, which are deleted at the end.
"""

import os
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sources
from answers import compared, short
from cases import every
from cases.values import Case
from cases.writes import GUARDS
from differences import Difference, Known, found, undocumented
from engines import AWS, DYNALITE, EMBEDDED, MINISTACK, Engine, running

KNOWN = Path(__file__).with_name("differences.toml")
SHOWN = 3


def answers(engine: Engine, cases: list[Case]) -> list[list[dict]]:
    """The engine's answers to the calls of each case. They are none if the engine does not know one of the operations."""
    engine.create_tables()
    try:
        given = []
        for case in cases:
            known = all(engine.knows(operation) for operation, _ in case.calls)
            given.append([compared(operation, *engine.send(operation, body)) for operation, body in case.calls] if known else [])
        return given
    finally:
        engine.delete_tables()


def gaps(cases: list[Case], embedded: list[list[dict]]) -> list[str]:
    """What the cases lack: a text of the store's source, or an outcome of a condition."""
    lacking = [f"no case has {text}" for text in sources.missing([call for case in cases for call in case.calls])]
    for guard in GUARDS:
        outcomes = {short(given[-2]) for case, given in zip(cases, embedded, strict=True) if case.name.startswith(f"guard {guard}, ") and len(given) > 1}
        lacking += [f"no case of {guard!r} has {outcome}" for outcome in ("200", "ConditionalCheckFailedException") if outcome not in outcomes]
    return lacking


def shown(differences: list[Difference]) -> str:
    """New differences, with the first cases of each kind."""
    kinds: dict[tuple, list[Difference]] = {}
    for difference in differences:
        kinds.setdefault((difference.case.split()[0], difference.kind), []).append(difference)
    lines = []
    for (_, kind), cases in sorted(kinds.items()):
        lines.append(f"{len(cases)} × {kind}, for example:")
        lines += [f"  {one.case}: {one.call}\n" + "".join(f"    {name}: {str(answer)[:300]}\n" for name, answer in one.answers.items()) for one in cases[:SHOWN]]
    return "\n".join(lines)


def main() -> str | int:
    """Gives what is wrong, or 0."""
    began, endpoint = time.monotonic(), os.environ.get("ENDPOINT")
    cases = list(every())
    repeated = [name for name, count in Counter(case.name for case in cases).items() if count > 1]
    if repeated:
        return f"two cases have one name: {repeated[:SHOWN]}"
    names = [EMBEDDED] if endpoint else [EMBEDDED, MINISTACK, DYNALITE]
    with tempfile.TemporaryDirectory() as folder, running(folder, names) as engines, ThreadPoolExecutor() as threads:
        engines |= {AWS: Engine(AWS, endpoint)} if endpoint else {}
        given = dict(zip(engines, threads.map(lambda engine: answers(engine, cases), engines.values()), strict=True))
    told = tomllib.loads(KNOWN.read_text(encoding="utf-8"))
    known = [Known(entry) for entry in told["difference"]]
    differences = found(cases, given, {name: engine.overlooked for name, engine in engines.items()})
    new = [one for one in differences if not one.is_explained(known)]
    gone = [text for entry in known for text in entry.unseen() if not endpoint or entry.wrong == EMBEDDED]
    lacking = gaps(cases, given[EMBEDDED])
    calls = sum(len(case.calls) for case in cases)
    print(f"{calls} calls in {len(cases)} cases to {', '.join(given)}: {len(differences)} differ, {len(new)} in a new way ({time.monotonic() - began:.0f} s)")
    problems = [shown(new)] if new else []
    problems += [f"gone, remove it from {KNOWN.name} or correct it: {text}" for text in gone] + lacking
    for name in {EMBEDDED, AWS} & given.keys():
        problems += [f"{name}, {text}" for text in undocumented(cases, given[name], told["documented"], name == EMBEDDED)]
    return "\n".join(problems) or 0


if __name__ == "__main__":
    sys.exit(main())
