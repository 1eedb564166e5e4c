"""The expressions that the store's source can write."""

import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "shared/src/store/table"
# What the calls of `format!`, `compare` and `key_condition_expression` in these files write.
WRITTEN = {
    "guard.rs": (r'compare\(name, ("[^"]+")', r'format!\(("[^"]+")'),
    "expression.rs": (r'format!\(("[^"]+")', r'clause\(("[^"]+")'),
    "read.rs": (r'key_condition_expression\(\s*("[^"]+")',),
}
LEAST = 20
EXPRESSIONS = ("UpdateExpression", "ConditionExpression", "KeyConditionExpression")


def pattern(text: str) -> str:
    """The expressions that a text of the source becomes, as a regular expression."""
    if text in ("=", "<>", "<", ">"):
        return f" {text} "
    inner = ".+" if text in ("({})", "{keyword} {}") else r"[#:]\w+"
    parts = {"{sign}": "(=|<>|<|>)", "{keyword}": "(SET|REMOVE|ADD|DELETE)"}
    pieces = re.split(r"(\{\w*\})", text)
    regular = "".join(parts.get(piece, inner if piece.startswith("{") else re.escape(piece)) for piece in pieces)
    return f"(^|[ (])(?<!NOT ){regular}($|[ ,)])"


def written() -> dict[str, str]:
    """The texts of the source, each with its regular expression."""
    found = {}
    for name, patterns in WRITTEN.items():
        source = (TABLE / name).read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        for literal in (literal for regular in patterns for literal in re.findall(regular, source)):
            text = literal.strip('"')
            # Placeholders: the name of an attribute, and the number of a value.
            if text not in ("#{name}", ":v{}"):
                found[f"{name}: {text}"] = pattern(text.replace("#{name}", "{name}"))
    return found


def expressions(body) -> set[str]:
    """The expressions of a call."""
    if isinstance(body, list):
        return set().union(*map(expressions, body))
    if not isinstance(body, dict):
        return set()
    own = {body[name] for name in EXPRESSIONS if isinstance(body.get(name), str)}
    return own.union(*(expressions(member) for name, member in body.items() if not name.startswith("ExpressionAttribute")))


def missing(calls: list[tuple[str, dict]]) -> list[str]:
    """The texts of the source that no call has."""
    sent = set().union(*(expressions(body) for _, body in calls))
    texts = written()
    if len(texts) < LEAST:
        return [f"only {len(texts)} texts are found in {TABLE}: sources.py does not read it any more"]
    return [text for text, regular in texts.items() if not any(re.search(regular, one) for one in sent)]
