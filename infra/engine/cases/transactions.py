"""Transactions: their reasons, the items that these return, and what they refuse."""

from collections.abc import Iterator

from .values import ACCOUNTS, ENTRIES, OLD, Case, part, token, used

COUNTS = (1, 2, 25, 26, 99, 100, 101)


def kinds(case: Case, sk: str, holds: bool) -> dict[str, dict]:
    """A part of each kind, whose condition on `x` holds or fails for an item with `x = 1`."""
    value = {":v": {"N": "1" if holds else "2"}}
    guard = {"ConditionExpression": "#x = :v", **OLD}
    return {
        "Put": part("Put", Item=case.key(sk) | {"x": {"N": "3"}}, **guard, **used("x", value)),
        "Update": part("Update", Key=case.key(sk), UpdateExpression="SET #y = :y", **guard, **used("x y", value | {":y": {"SS": ["b", "a"]}})),
        "Delete": part("Delete", Key=case.key(sk), **guard, **used("x", value)),
        "ConditionCheck": part("ConditionCheck", Key=case.key(sk), **guard, **used("x", value)),
    }


def transact(case: Case, *parts: dict, **more) -> Case:
    """Adds a transaction."""
    return case.raw("TransactWriteItems", {"TransactItems": list(parts)} | more)


def reasons() -> Iterator[Case]:
    """Two parts, each of which holds or fails, with an item or without."""
    one_of = ("Put", "Update", "Delete", "ConditionCheck")
    for first in one_of:
        for second in one_of:
            for holds in ((True, True), (True, False), (False, True), (False, False)):
                for exists in (True, False):
                    case = Case(f"transaction {first} {second} {holds} {exists}")
                    if exists:
                        case.put({"x": {"N": "1"}, "s": {"SS": ["b", "a"]}}).put({"x": {"N": "1.0"}}, "b")
                    transact(case, kinds(case, "a", holds[0])[first], kinds(case, "b", holds[1])[second])
                    yield case.get().get("b")
            case = Case(f"transaction {first} {second} of one item").put({"x": {"N": "1"}})
            yield transact(case, kinds(case, "a", True)[first], kinds(case, "a", True)[second]).get()
    for kind in one_of:
        case = Case(f"transaction {kind} without the old item").put({"x": {"N": "1"}})
        given = kinds(case, "a", False)[kind]
        given[kind].pop("ReturnValuesOnConditionCheckFailure")
        yield transact(case, given).get()
    case = Case("transaction in two tables").put({"x": {"N": "1"}})
    entry = {"id": {"S": case.name}, "x": {"S": "a"}}
    transact(case, part("Put", TableName=ENTRIES, Item=entry), kinds(case, "a", False)["Delete"])
    yield case.call("GetItem", TableName=ENTRIES, Key={"id": entry["id"]}, ConsistentRead=True).get()


def wrong() -> Iterator[Case]:
    """Transactions with a part that is refused whatever the items are."""
    for count in COUNTS:
        case = Case(f"transaction of {count}")
        yield transact(case, *(part("Put", Item=case.key(f"{number:03}")) for number in range(count))).get("000")
        case = Case(f"transaction of {count}, the last refused")
        parts = [part("Put", Item=case.key(f"{number:03}")) for number in range(count - 1)]
        yield transact(case, *parts, kinds(case, "last", True)["Update"]).get("000").get("last")
    yield transact(Case("transaction of none"))
    bad = {
        "an empty set": {"x": {"SS": []}}, "a number of 39 digits": {"x": {"N": "1" * 39}}, "a key's wrong type": {"sk": {"N": "1"}}, "an empty key": {"sk": {"S": ""}}, "an item of more than 400 KB": {"x": {"S": "s" * 409_600}},
    }
    for what, attributes in bad.items():
        case = Case(f"transaction with {what}")
        yield transact(case, part("Put", Item=case.key("b")), part("Put", Item=case.key() | attributes)).get("b")
    case = Case("transaction with an item without a sort key")
    yield transact(case, part("Put", Item=case.key("b")), part("Put", Item={"pk": {"S": case.name}})).get("b")
    changes = {
        "a sum with a text": ("SET #x = #x + :v", {":v": {"N": "1"}}), "a missing summand": ("SET #x = #q + :v", {":v": {"N": "1"}}), "ADD to a text": ("ADD #x :v", {":v": {"N": "1"}}), "DELETE from a text": ("DELETE #x :v", {":v": {"SS": ["a"]}}),
        "an append to a text": ("SET #x = list_append(#x, :v)", {":v": {"L": []}}), "a change of the key": ("SET #pk = :v", {":v": {"S": "a"}}), "a syntax error": ("SET #x == :v", {":v": {"S": "a"}}), "an item that grows too large": ("SET #y = :v", {":v": {"S": "s" * 409_590}}),
        "an index key of a wrong type": ("SET #profile_id = :v", {":v": {"S": "a"}}), "an unused value": ("REMOVE #x", {":v": {"S": "a"}}), "a sum beyond the largest number": ("SET #n = #n + :v", {":v": {"N": "9E125"}}),
    }
    for what, (change, values) in changes.items():
        for exists in (True, False):
            case = Case(f"transaction with {what}, {exists}")
            case = case.put({"x": {"S": "text"}, "n": {"N": "9E125"}}) if exists else case
            names = " ".join(name for name in ("x", "y", "q", "pk", "n", "profile_id") if f"#{name}" in change)
            yield transact(case, part("Put", Item=case.key("b")), part("Update", Key=case.key(), UpdateExpression=change, **used(names, values))).get("b").get()
    case = Case("transaction with a part of two kinds")
    yield transact(case, part("Put", Item=case.key()) | part("Delete", Key=case.key("b"))).get()
    yield transact(Case("transaction with an empty part"), {})
    case = Case("transaction with no table")
    yield transact(case, part("Put", Item=case.key()), part("Put", TableName="nothing", Item=case.key("b"))).get()
    case = Case("transaction with a check without a condition")
    yield transact(case, part("ConditionCheck", Key=case.key()))


def tokens() -> Iterator[Case]:
    """A transaction that is sent twice with one token."""
    def add(case: Case, by: str) -> dict:
        return part("Update", Key=case.key(), UpdateExpression="ADD #x :v", **used("x", {":v": {"N": by}}))

    case = Case("token twice")
    for _ in range(2):
        transact(case, add(case, "1"), ClientRequestToken=token(case.name))
    yield case.get()
    case = Case("token with another transaction")
    for by in ("1", "2"):
        transact(case, add(case, by), ClientRequestToken=token(case.name))
    yield case.get()
    case = Case("token after a refusal")
    transact(case, kinds(case, "a", True)["Put"], ClientRequestToken=token(case.name)).put({"x": {"N": "1"}})
    yield transact(case, kinds(case, "a", True)["Put"], ClientRequestToken=token(case.name)).get()
    yield transact(Case("token too long"), part("Put", Item=Case("token too long").key()), ClientRequestToken="t" * 37)
    yield transact(Case("token empty"), part("Put", Item=Case("token empty").key()), ClientRequestToken="")


def reads() -> Iterator[Case]:
    """Reads in a transaction, which the store does not use."""
    case = Case("transaction of reads").put({"x": {"S": "a"}})
    yield case.raw("TransactGetItems", {"TransactItems": [{"Get": {"TableName": ACCOUNTS, "Key": case.key(sk)}} for sk in ("a", "none")]})
