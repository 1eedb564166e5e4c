"""The differences between answers, and those that are known."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from answers import differing, short
from cases.values import Case


@dataclass
class Known:
    """An entry of differences.toml: which engine is wrong, in which cases, and how."""

    entry: dict
    seen: set[str] = field(default_factory=set)

    @property
    def wrong(self) -> str:
        """The engine that is wrong."""
        return self.entry["wrong"]

    def explains(self, case: str, engine: str, how: str) -> bool:
        """Whether an engine's answer is known to be wrong in this way."""
        if engine != self.wrong or how not in self.entry["how"]:
            return False
        matching = [pattern for pattern in self.entry["cases"] if fnmatchcase(case, pattern)]
        self.seen |= {*matching, how} if matching else set()
        return bool(matching)

    def unseen(self) -> list[str]:
        """The patterns of cases and the ways in which no answer has differed. Those of drawn cases depend on the text of a form."""
        patterns = [pattern for pattern in self.entry["cases"] if not pattern.startswith("form ")]
        return [f"{self.wrong}, {text}" for text in (*patterns, *self.entry["how"]) if text not in self.seen]


@dataclass
class Difference:
    """A call that the engines do not answer alike."""

    case: str
    call: str
    answers: dict[str, dict]
    # Members of a refusal that an engine does not know.
    overlooked: dict[str, set[str]]

    def how(self, right: str, wrong: str) -> str:
        """How one engine's answer differs from another one's; empty if it does not."""
        overlooked = self.overlooked[right] | self.overlooked[wrong] if self.answers[right]["status"] != 200 else set()
        return differing(self.answers[right], self.answers[wrong], overlooked)

    @property
    def kind(self) -> str:
        """How the engines differ from the first one."""
        first = next(iter(self.answers))
        return "; ".join(f"{name}: {self.how(first, name)}" for name in self.answers if name != first and self.how(first, name))

    def is_explained(self, known: list[Known]) -> bool:
        """Whether some engines agree with each other, and for each of the others a known difference says how it is wrong."""
        def is_right(name: str) -> bool:
            hows = {other: self.how(name, other) for other in self.answers}
            agreeing = [other for other, how in hows.items() if not how]
            # dynalite may agree with two that do not agree with each other.
            return not any(self.how(one, other) for one in agreeing for other in agreeing) and all(
                any([entry.explains(self.case, other, how) for entry in known]) for other, how in hows.items() if how)

        return any([is_right(name) for name in self.answers])


def found(cases: list[Case], given: dict[str, list[list[dict]]], overlooked: dict[str, set[str]]) -> list[Difference]:
    """The differences. After one in more than words, the rest of the case is compared between the engines that still agree."""
    differences = []
    for at, case in enumerate(cases):
        answers = {name: all_of[at] for name, all_of in given.items() if all_of[at]}
        for number, (operation, _) in enumerate(case.calls):
            one = Difference(case.name, operation, {name: own[number] for name, own in answers.items()}, overlooked)
            hows = {(name, other): one.how(name, other) for name in answers for other in answers}
            differences += [one] if any(hows.values()) else []
            if any(how and "words" not in how for how in hows.values()):
                pairs = [pair for pair, how in hows.items() if pair[0] != pair[1] and not how]
                answers = {name: answers[name] for name in pairs[0]} if pairs else {}
    return differences


def undocumented(cases: list[Case], given: list[list[dict]], rules: list[dict], wrong: bool) -> list[str]:
    """The cases whose answers are not those that AWS documents. A rule says that all calls of a case succeed, or that one has this error.
    If the engine is known to be wrong, the cases of rules that are marked so must still have another answer."""
    faults = []
    for rule in rules:
        expected, matching = rule["answer"], 0
        for case, own in zip(cases, given, strict=True):
            if any(fnmatchcase(case.name, pattern) for pattern in rule["cases"]):
                matching += 1
                answers = [short(answer) for answer in own]
                holds = set(answers) == {expected} if expected == "200" else expected in answers
                if holds == (wrong and rule.get("wrong", False)):
                    faults.append(f"{case.name}: documented is {expected}, the answers are {answers}")
        faults += [] if matching else [f"no case is one of {rule['cases']}"]
    return faults
