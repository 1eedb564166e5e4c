"""Hostile values of each type, and the calls that cases are made of."""

import hashlib
import os
import secrets
from dataclasses import dataclass, field

# The names of the tables. In an account of AWS, a part is random, so that they are new, and so are the tokens of transactions.
PREFIX = f"engine-{secrets.token_hex(4)}-" if os.environ.get("ENDPOINT") else "engine-"
TABLES = {table: PREFIX + table for table in ("accounts", "entries")}
ACCOUNTS, ENTRIES = TABLES.values()
NUMBERS = [
    "0", "-0", "1", "-1", "1.0", "0.10", "1e2", "007", "41", "42", "43", "1E125", "9.9999999999999999999999999999999999999E125",
    "-9.9999999999999999999999999999999999999E125", "1E-130", "-1E-130", "12345678901234567890123456789012345678",
    "0.12345678901234567890123456789012345678", "1" + "0" * 60, "4294967296", "18446744073709551615", "18446744073709551616",
]
WRONG_NUMBERS = ["", "abc", "NaN", "Infinity", "1E126", "-1E126", "1E-131", "123456789012345678901234567890123456789", "1_000", "0x10", "1,5"]
TEXTS = ["a", "b", "", " ", "é", "e\u0301", "\0", "😀", "\uffff", "a" * 2000, "A", "1"]
# A value or several of each type; the first ones are the plainest.
VALUES = {
    "S": [{"S": text} for text in TEXTS],
    "N": [{"N": number} for number in NUMBERS],
    "B": [{"B": "YQ=="}, {"B": ""}, {"B": "AAH/"}],
    "SS": [{"SS": ["a"]}, {"SS": ["b", "a"]}, {"SS": ["b", "c"]}, {"SS": [""]}],
    "NS": [{"NS": ["1"]}, {"NS": ["2", "1.0"]}, {"NS": ["1E125", "-0"]}],
    "BS": [{"BS": ["YQ=="]}, {"BS": ["Yg==", "YQ=="]}],
    "L": [{"L": [{"S": "a"}]}, {"L": []}, {"L": [{"N": "1.0"}, {"L": []}, {"M": {}}, {"NULL": True}]}],
    "M": [{"M": {"a": {"S": "a"}}}, {"M": {}}, {"M": {"a": {"M": {"b": {"L": [{"N": "1"}, {"S": ""}]}}}}}],
    "BOOL": [{"BOOL": True}, {"BOOL": False}],
    "NULL": [{"NULL": True}],
}
# Values that no engine may accept.
WRONG = {
    "an empty set": {"SS": []},
    "an empty set of numbers": {"NS": []},
    "an empty set of bytes": {"BS": []},
    "a set with a text twice": {"SS": ["a", "a"]},
    "a set with a number twice": {"NS": ["1", "1.0"]},
    "a set with bytes twice": {"BS": ["YQ==", "YQ=="]},
    "no type": {},
    "two types": {"S": "a", "N": "1"},
    "an unknown type": {"X": "a"},
    "a null that is false": {"NULL": False},
    "a number as JSON": {"N": 1},
    "a text as N's list": {"NS": "1"},
    "no base64": {"B": "%"},
    "a wrong value in a list": {"L": [{"SS": []}]},
    "a wrong value in a map": {"M": {"a": {"N": "x"}}},
    **{f"the number {number[:12]!r}": {"N": number} for number in WRONG_NUMBERS},
}


@dataclass
class Case:
    """Calls about items of their own, which no other case touches."""

    name: str
    calls: list[tuple[str, dict]] = field(default_factory=list)

    def key(self, sk: str = "a") -> dict:
        """The key of an item of the case."""
        return {"pk": {"S": self.name}, "sk": {"S": sk}}

    def put(self, attributes: dict | None = None, sk: str = "a", **more) -> "Case":
        """Writes an item."""
        return self.call("PutItem", Item=self.key(sk) | (attributes or {}), **more)

    def get(self, sk: str = "a", **more) -> "Case":
        """Reads an item."""
        return self.call("GetItem", Key=self.key(sk), ConsistentRead=True, **more)

    def update(self, changes: str, sk: str = "a", **more) -> "Case":
        """Changes an item."""
        return self.call("UpdateItem", Key=self.key(sk), UpdateExpression=changes, **more)

    def call(self, operation: str, **body) -> "Case":
        """Adds a call about one table."""
        return self.raw(operation, {"TableName": ACCOUNTS} | body)

    def raw(self, operation: str, body: dict) -> "Case":
        """Adds a call."""
        self.calls.append((operation, body))
        return self


def token(text: str) -> str:
    """A token for a transaction."""
    return hashlib.sha256((PREFIX + text).encode()).hexdigest()[:36]


def part(kind: str, **body) -> dict:
    """A part of a transaction."""
    return {kind: {"TableName": ACCOUNTS} | body}


def used(names: str = "", values: dict | None = None) -> dict:
    """The members of a call for the names, each written as `#name`, and the values."""
    named = {"ExpressionAttributeNames": {f"#{name}": name for name in names.split()}} if names else {}
    return named | ({"ExpressionAttributeValues": values} if values else {})


OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
