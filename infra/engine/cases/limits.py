"""The limits of sizes, keys and expressions."""

from collections.abc import Iterator

from .reads import query
from .values import ACCOUNTS, OLD, Case, part, used

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
ITEM_MAX = 400 * 1024


def keys() -> Iterator[Case]:
    """Keys that are empty, long, incomplete, or of a wrong type."""
    long = {"the partition key": ({"pk": {"S": "k" * 2048}, "sk": {"S": "a"}}, {"pk": {"S": "k" * 2049}, "sk": {"S": "a"}}),
            "the sort key": ({"pk": {"S": "long"}, "sk": {"S": "k" * 1024}}, {"pk": {"S": "long"}, "sk": {"S": "k" * 1025}}),
            "the sort key in two bytes": ({"pk": {"S": "long"}, "sk": {"S": "é" * 512}}, {"pk": {"S": "long"}, "sk": {"S": "é" * 513}})}
    wrong = {"empty partition key": {"pk": {"S": ""}, "sk": {"S": "a"}}, "empty sort key": {"pk": {"S": "a"}, "sk": {"S": ""}},
             "number as partition key": {"pk": {"N": "1"}, "sk": {"S": "a"}}, "number as sort key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
             "null as sort key": {"pk": {"S": "a"}, "sk": {"NULL": True}}, "list as sort key": {"pk": {"S": "a"}, "sk": {"L": []}},
             "no sort key": {"pk": {"S": "a"}}, "no partition key": {"sk": {"S": "a"}}, "no key": {},
             "another attribute": {"pk": {"S": "a"}, "sk": {"S": "a"}, "x": {"S": "a"}}, "another name": {"pk": {"S": "a"}, "SK": {"S": "a"}},
             **{f"too long: {what}": too_long for what, (_, too_long) in long.items()}, **{f"as long as possible: {what}": longest for what, (longest, _) in long.items()}}
    for what, key in wrong.items():
        if what != "another attribute":
            yield Case(f"key {what}, put").call("PutItem", Item=key)
        yield Case(f"key {what}, get").call("GetItem", Key=key, ConsistentRead=True)
        yield Case(f"key {what}, delete").call("DeleteItem", Key=key)
        yield Case(f"key {what}, update").call("UpdateItem", Key=key, UpdateExpression="SET #x = :v", **used("x", {":v": {"S": "a"}}))
        yield Case(f"key {what}, check").raw("TransactWriteItems", {"TransactItems": [part("ConditionCheck", Key=key, ConditionExpression="attribute_not_exists(#pk)", **used("pk"))]})
    for name in ("pk", "sk"):
        for change in (f"SET {name} = :v", f"REMOVE {name}", f"SET {name} = if_not_exists({name}, :v)"):
            values = {":v": {"S": "a"}} if ":v" in change else None
            yield Case(f"change of the key: {change}").put().update(change, **used("", values)).get()


def sizes() -> Iterator[Case]:
    """Items about as large as possible, and pages and batches of them."""
    for over in (-1, 0, 1):
        case = Case(f"size {over:+}")
        used_bytes = len("pk") + len(case.name) + len("sk") + len("a") + len("x")
        yield case.put({"x": {"S": "s" * (ITEM_MAX - used_bytes + over)}}).get()
    case = Case("size after a change")
    text = {":v": {"S": "s" * 100}}
    yield case.put({"x": {"S": "s" * (ITEM_MAX - 60)}}).update("SET #y = :v", **used("y", text)).get()
    case = Case("size of numbers and lists")
    yield case.put({"x": {"L": [{"N": "1"} for _ in range(20_000)]}}).get()
    case = Case("size of a page")
    for number in range(5):
        case.put({"x": {"S": "s" * 300_000}}, str(number))
    query(case)
    query(case, Limit=3)
    query(case, Limit=4)
    yield query(case, ScanIndexForward=False)
    case = Case("size of a batch")
    for number in range(44):
        case.put({"x": {"S": "s" * 390_000}}, f"{number:02}")
    yield case.raw("BatchGetItem", {"RequestItems": {ACCOUNTS: {"Keys": [case.key(f"{number:02}") for number in range(44)]}}})
    case = Case("size of a transaction")
    puts = [part("Put", Item=case.key(str(number)) | {"x": {"S": "s" * 390_000}}) for number in range(12)]
    yield case.raw("TransactWriteItems", {"TransactItems": puts}).get("0")
    for depth in (31, 32, 33):
        value = {"S": "a"}
        for _ in range(depth):
            value = {"M": {"a": value}}
        yield Case(f"depth {depth}").put({"x": value}).get()
    yield Case("long name").put({"n" * 65_535: {"S": "a"}}).get()
    yield Case("too long name").put({"n" * 70_000: {"S": "a"}})
    yield Case("empty name").put({"": {"S": "a"}})


def expressions() -> Iterator[Case]:
    """Expressions that are wrong, or as the store does not write them."""
    value = {":v": {"S": "a"}}
    changes = {
        "a reserved word": ("SET name = :v", "", value), "a reserved word after #": ("SET #name = :v", "name", value), "nothing": ("", "", None), "no keyword": ("x = :v", "", value),
        "one name twice": ("SET x = :v, x = :v", "", value), "one name in two clauses": ("SET x = :v REMOVE x", "", value), "one clause twice": ("SET x = :v SET y = :v", "", value),
        "overlapping paths": ("SET x = :v, x.a = :v", "", value), "an unknown name": ("SET #z = :v", "x", value), "an unused name": ("SET #x = :v", "x y", value), "an unused value": ("SET x = :v", "", value | {":w": {"S": "a"}}),
        "an unknown value": ("SET x = :w", "", value), "a path into a text": ("SET x.a = :v", "", value), "a path into a map": ("SET m.b = :v", "", value), "a path into no map": ("SET q.b = :v", "", value),
        "an index": ("SET l[0] = :v", "", value), "an index behind the end": ("SET l[9] = :v", "", value), "removing an index": ("REMOVE l[0], l[2]", "", None), "an unknown function": ("SET x = f(x, :v)", "", value),
        "a missing attribute": ("SET x = q", "", None), "a missing summand": ("SET q = q + :n", "", {":n": {"N": "1"}}), "a difference": ("SET n = n - :n", "", {":n": {"N": "1"}}), "lower case": ("set x = :v remove y", "", value),
        "more spaces": ("  SET  x=:v  ,  y =:v ", "", value), "a trailing comma": ("SET x = :v,", "", value), "a sum of three": ("SET n = n + :n + :n", "", {":n": {"N": "1"}}), "ADD of a path": ("ADD m.b :n", "", {":n": {"N": "1"}}),
        "ADD with =": ("ADD n = :n", "", {":n": {"N": "1"}}), "DELETE of a number": ("DELETE n :n", "", {":n": {"N": "1"}}), "if_not_exists of another": ("SET q = if_not_exists(n, :v)", "", value),
        "too long": ("SET " + ", ".join(f"{'x' * 40}{number} = :v" for number in range(90)), "", value), "a name without #": ("SET x = :v", "", value),
    }
    attributes = {"x": {"S": "a"}, "y": {"S": "b"}, "n": {"N": "1"}, "m": {"M": {"a": {"S": "a"}}}, "l": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}]}}
    for what, (change, names, values) in changes.items():
        yield Case(f"change with {what}").put(attributes).update(change, **used(names, values), ReturnValues="ALL_NEW").get()
    conditions = {
        "a reserved word": "status = :v", "nothing": "", "no operator": "x", "a value alone": ":v", "two values": ":v = :v", "IN": "x IN (:v, y)", "BETWEEN": "x BETWEEN :v AND y", "begins_with": "begins_with(x, :v)",
        "begins_with of a number": "begins_with(n, :v)", "attribute_type": "attribute_type(x, :v)", "NOT": "NOT (x = :v OR y = :v)", "precedence": "x = :v OR y = :v AND attribute_exists(q)",
        "redundant parentheses": "((x = :v))", "parentheses around a part": "(x = :v) AND attribute_exists(y)", "size of a missing": "size(q) < :n", "size of a number": "size(n) < :n", "size of a map": "size(m) = :n", "size alone": "size(x)", "lower case": "attribute_exists(x) and not x <> :v",
        "unbalanced parentheses": "(x = :v", "!=": "x != :v", "==": "x == :v", "contains of itself": "contains(x, x)", "attribute_exists of a value": "attribute_exists(:v)", "a path": "m.a = :v", "an index": "l[0] = :v",
        "a comparison of two missing": "q = r", "a difference of two missing": "q <> r", "NOT of a comparison with a missing": "NOT q = :v", "an unknown value": "x = :w", "contains in a list": "contains(l, :v)", "contains in a text": "contains(y, :v)",
    }
    for what, condition in conditions.items():
        values = {name: given for name, given in {":v": {"S": "a"}, ":n": {"N": "2"}}.items() if name in condition or what == "nothing"}
        yield Case(f"condition with {what}").put(attributes).put({"z": {"S": "z"}}, ConditionExpression=condition, **used("", values), **OLD).get()
    yield Case("names without an expression").put({}, ExpressionAttributeNames={"#x": "x"})
    yield Case("values without an expression").put({}, ExpressionAttributeValues={":v": {"S": "a"}})
    yield Case("empty names").put({}, ConditionExpression="attribute_not_exists(x)", ExpressionAttributeNames={})
    yield Case("empty values").put({}, ConditionExpression="attribute_not_exists(x)", ExpressionAttributeValues={})
    yield Case("a name without #").put({}, ConditionExpression="attribute_not_exists(x)", ExpressionAttributeNames={"x": "x"})
    yield Case("a value without :").put({}, ConditionExpression="x = v", ExpressionAttributeValues={"v": {"S": "a"}})
    for wrong in ("ALL", "all_old", ""):
        yield Case(f"returned {wrong!r}").put({}, ReturnValues=wrong)
    yield Case("no table").call("PutItem", TableName="nothing", Item=Case("no table").key())
    yield Case("no item").raw("PutItem", {"TableName": ACCOUNTS})
    yield Case("an unknown member").put({}, Unknown="x")
    yield Case("an unknown operation").call("NoSuchItem", Key=Case("").key())
