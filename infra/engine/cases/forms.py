"""The calls of the store, as `make engine-forms` has recorded them, with other values and on other items."""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from .values import ACCOUNTS, ENTRIES, TABLES, VALUES, Case, token

RECORDED = Path(__file__).resolve().parents[1] / "forms.jsonl"
ROUNDS = 6
# Few values, so that a condition often holds.
FEW = {"S": [{"S": "a"}, {"S": "b"}], "N": [{"N": "1"}, {"N": "2"}, {"N": "10"}]}
# The store writes whole numbers, each in one spelling, and only in sets this makes a difference.
SETS = [{"NS": ["1"]}, {"NS": ["2", "1"]}, {"NS": ["2", "10"]}]
KEYS = ("pk", "sk", "id")


def recorded() -> list[str]:
    """The operations and bodies, as JSON. A type is in the place of each value."""
    return RECORDED.read_text(encoding="utf-8").splitlines()


class Draw:
    """Draws what stands in a form's places. What is drawn depends on nothing but the form, so that a new form changes no other's cases."""

    def __init__(self, form: str, turn: int):
        self.random = random.Random(f"{form} {turn}")
        self.is_plain = turn % 2 == 0
        self.account = str(int(form, 16) * ROUNDS + turn)

    def value(self, kind: str) -> dict:
        """A value of a type. In half of the rounds, some are hostile."""
        if kind == "NS":
            return self.random.choice(SETS)
        if kind in FEW and (self.is_plain or self.random.random() < 0.8):
            return self.random.choice(FEW[kind])
        return self.random.choice(VALUES[kind][: 2 if self.is_plain else None])

    def item(self, names: set[str], values: list[dict]) -> dict:
        """An item that may lack each attribute, or have one of the values, or another one."""
        item = {}
        for name in sorted(names - set(KEYS)):
            what = self.random.random()
            if name in ("profile_id", "account", "received_at"):
                item |= {name: {"N": self.account}} if what > 0.5 else {}
            elif what > 0.25:
                item[name] = self.random.choice(values) if values and what > 0.5 else self.value(self.random.choice(list(VALUES)))
        return item


def key_of(case: Case, table: str, sk: str) -> dict:
    """The key of an item of the case."""
    return case.key(sk) if table == ACCOUNTS else {"id": {"S": f"{case.name} {sk}"}}


def write(case: Case, draw: Draw, part: dict, sk: str) -> dict:
    """A write with the values, after the item that it finds."""
    table = TABLES[part["TableName"]]
    key = key_of(case, table, sk)
    values = {name: draw.value(kind) for name, kind in part.get("ExpressionAttributeValues", {}).items()}
    names = set(part.get("ExpressionAttributeNames", {}).values())
    if draw.random.random() > 0.15:
        case.call("PutItem", TableName=table, Item=key | draw.item(names, list(values.values())))
    filled = part | {"TableName": table}
    if "Key" in part:
        filled["Key"] = key
    if "Item" in part:
        filled["Item"] = {name: {"N": draw.account} if name == "profile_id" else draw.value(kind) for name, kind in part["Item"].items()} | key
    return filled | ({"ExpressionAttributeValues": values} if values else {})


def case_of(form: str, turn: int) -> Case:
    """A case of a form."""
    operation, body = json.loads(form)
    form = hashlib.sha256(form.encode()).hexdigest()[:12]
    parts = "".join(f", {word}" for word in ("size", "list_append") if f"{word}(" in json.dumps(body))
    case, draw = Case(f"form {form} {operation} {turn}{parts}"), Draw(form, turn)
    table = TABLES.get(body.get("TableName", ""), ACCOUNTS)
    if operation == "TransactWriteItems":
        parts, keys = [], []
        for at, part in enumerate(body["TransactItems"]):
            ((kind, members),) = part.items()
            # Sometimes, two parts are about one item.
            sk = "0" if draw.random.random() < 0.02 else str(at)
            parts.append({kind: write(case, draw, members, sk)})
            keys.append((TABLES[members["TableName"]], sk))
        case.raw(operation, {"ClientRequestToken": token(case.name), "TransactItems": parts})
        for table, sk in dict.fromkeys(keys):
            case.call("GetItem", TableName=table, Key=key_of(case, table, sk), ConsistentRead=True)
    elif operation in ("PutItem", "UpdateItem", "DeleteItem"):
        filled = write(case, draw, body, "0")
        case.raw(operation, filled).call("GetItem", TableName=table, Key=key_of(case, table, "0"), ConsistentRead=True)
    elif operation == "Query":
        for sk in "abc":
            case.call("PutItem", TableName=table, Item=key_of(case, table, sk) | {"account": {"N": draw.account}, "received_at": {"N": str(ord(sk))}, "profile_id": {"N": draw.account}})
        more = {":pk": {"S": case.name}, ":sk": {"S": "b"}, ":key": {"N": draw.account}, ":last": {"N": "98"}}
        filled = body | {"TableName": table, "ExpressionAttributeValues": {name: more[name] for name in body["ExpressionAttributeValues"]}}
        if "Limit" in body:
            filled["Limit"] = turn % 4 + 1
        if "ExclusiveStartKey" in body:
            start = {"account": {"N": draw.account}, "received_at": {"N": "97"}} if table == ENTRIES else {}
            filled["ExclusiveStartKey"] = key_of(case, table, "a") | start
        case.raw(operation, filled)
    elif operation == "BatchGetItem":
        (table, request), = body["RequestItems"].items()
        keys = [key_of(case, TABLES[table], sk) for sk in "abc"]
        for key in keys[:2]:
            case.call("PutItem", TableName=TABLES[table], Item=key)
        case.raw(operation, {"RequestItems": {TABLES[table]: request | {"Keys": keys}}})
    elif operation == "BatchWriteItem":
        (table, requests), = body["RequestItems"].items()
        put = {name: draw.value(kind) for name, kind in requests[0].get("PutRequest", {"Item": {}})["Item"].items()}
        filled = [{"PutRequest": {"Item": put | key_of(case, TABLES[table], sk)}} if put else {"DeleteRequest": {"Key": key_of(case, TABLES[table], sk)}} for sk in "abc"]
        case.raw(operation, {"RequestItems": {TABLES[table]: filled}})
    elif operation == "GetItem":
        case.call("PutItem", TableName=table, Item=key_of(case, table, "0") | {"x": draw.value("S")})
        case.raw(operation, body | {"TableName": table, "Key": key_of(case, table, "0")})
    else:
        raise ValueError(f"no case for {operation}")
    return case


def cases(forms: Iterable[str] | None = None) -> Iterator[Case]:
    """Some cases of each form. Scans are in `reads`, because they read what other cases have written."""
    for form in recorded() if forms is None else forms:
        for turn in range(0 if form.startswith('["Scan"') else ROUNDS):
            yield case_of(form, turn)
