"""Reads of partitions and of indexes, page by page, and reads of many items at once."""

from collections.abc import Iterator

from .values import ACCOUNTS, ENTRIES, Case, part, used

SORT_KEYS = ["a", "a#1", "a#10", "a#2", "b", "B", "é", "z", " ", "\uffff", "😀"]


def filled(name: str) -> Case:
    """A case whose partition has some items."""
    case = Case(name)
    for sk in SORT_KEYS:
        case.put({"x": {"S": sk}}, sk)
    return case


def query(case: Case, condition: str = "pk = :pk", values: dict | None = None, **more) -> Case:
    """Adds a query of the case's partition."""
    values = {":pk": {"S": case.name}} | (values or {})
    return case.call("Query", **{"KeyConditionExpression": condition, "ExpressionAttributeValues": values, "ConsistentRead": True} | more)


def partitions() -> Iterator[Case]:
    """Queries of one partition."""
    for limit in (1, 2, 5, len(SORT_KEYS), len(SORT_KEYS) + 1, 1000):
        for forward in (True, False):
            yield query(filled(f"query limit {limit} {forward}"), Limit=limit, ScanIndexForward=forward)
    yield query(Case("query of nothing"))
    yield query(Case("query of nothing, limit"), Limit=1)
    for limit in (0, -1):
        yield query(filled(f"query wrong limit {limit}"), Limit=limit)
    for comparison in (">=", ">", "<=", "<", "="):
        for sk in ("a#1", "a#", "", "zz", "\uffff"):
            yield query(filled(f"query sk {comparison} {sk!r}"), f"pk = :pk AND sk {comparison} :sk", {":sk": {"S": sk}}, Limit=3)
    for prefix in ("a", "a#", "", "B", "é", "c"):
        yield query(filled(f"query begins_with {prefix!r}"), "pk = :pk AND begins_with(sk, :sk)", {":sk": {"S": prefix}})
    for low, high in (("a", "b"), ("b", "a"), ("a#1", "a#10")):
        yield query(filled(f"query between {low} and {high}"), "pk = :pk AND sk BETWEEN :low AND :high", {":low": {"S": low}, ":high": {"S": high}})
    for forward in (True, False):
        for sk in ("a#10", "a#15", " ", "😀"):
            case = filled(f"query after {sk!r} {forward}")
            query(case, Limit=2, ScanIndexForward=forward, ExclusiveStartKey=case.key(sk))
            yield query(case, "pk = :pk AND sk >= :sk", {":sk": {"S": "a#"}}, ScanIndexForward=forward, ExclusiveStartKey=case.key(sk))
    case = filled("query count")
    yield query(case, Select="COUNT", Limit=3)
    wrong = {
        "another partition": {"pk": {"S": "other"}, "sk": {"S": "a"}}, "no sort key": {"pk": {"S": "query from no sort key"}}, "a wrong type": {"pk": {"S": "query from a wrong type"}, "sk": {"N": "1"}},
        "more": {"pk": {"S": "query from more"}, "sk": {"S": "a"}, "x": {"S": "a"}}, "nothing": {},
    }
    for what, start in wrong.items():
        yield query(filled(f"query from {what}"), ExclusiveStartKey=start)
    for what, condition in {
        "no partition": "sk = :pk", "another attribute": "pk = :pk AND x = :pk", "another function": "pk = :pk AND contains(sk, :pk)", "OR": "pk = :pk OR sk = :pk",
        "NOT": "NOT pk = :pk", "a range of partitions": "pk > :pk", "<>": "pk = :pk AND sk <> :pk", "twice": "pk = :pk AND pk = :pk", "nothing": "",
        "the other side": ":pk = pk", "three conditions": "pk = :pk AND sk > :pk AND sk < :pk", "parentheses": "(pk = :pk) AND (sk >= :pk)",
    }.items():
        yield query(filled(f"query with {what}"), condition)
    yield query(filled("query with a wrong type"), "pk = :pk AND sk = :n", {":n": {"N": "1"}})
    yield query(filled("query with an unused value"), "pk = :pk", {":n": {"N": "1"}})
    yield query(filled("query of no index"), IndexName="nothing", ConsistentRead=False)
    yield query(Case("query of an index, consistent"), "profile_id = :n", IndexName="profiles", ExpressionAttributeValues={":n": {"N": "1"}})


def indexes() -> Iterator[Case]:
    """Queries of the indexes of both tables. Each case has a number of its own."""
    for at, limit in enumerate((None, 1, 2, 5)):
        for forward in (True, False):
            account = str(9_000_000 + 2 * at + forward)
            case = Case(f"index limit {limit} {forward}")
            for number in range(4):
                entry = {"id": {"S": f"{case.name} {number}"}, "account": {"N": account}, "received_at": {"N": str(10 ** number)}, "text": {"S": "t"}}
                case.call("PutItem", TableName=ENTRIES, Item=entry)
            case.call("PutItem", TableName=ENTRIES, Item={"id": {"S": f"{case.name} none"}, "text": {"S": "t"}})
            body = {"TableName": ENTRIES, "IndexName": "accounts", "ScanIndexForward": forward} | ({"Limit": limit} if limit else {})
            case.call("Query", **body, KeyConditionExpression="#key = :key", **names("key account"), ExpressionAttributeValues={":key": {"N": account}})
            for last in ("100", "1", "0", "99.5"):
                case.call("Query", **body, KeyConditionExpression="#key = :key AND #sort <= :last", **names("key account", "sort received_at"),
                          ExpressionAttributeValues={":key": {"N": account}, ":last": {"N": last}})
            start = {"id": {"S": f"{case.name} 1"}, "account": {"N": account}, "received_at": {"N": "10"}}
            case.call("Query", **body, KeyConditionExpression="#key = :key", **names("key account"), ExpressionAttributeValues={":key": {"N": account}}, ExclusiveStartKey=start)
            case.call("UpdateItem", TableName=ENTRIES, Key={"id": start["id"]}, UpdateExpression="REMOVE #account", **used("account"))
            yield case.call("Query", **body, KeyConditionExpression="#key = :key", **names("key account"), ExpressionAttributeValues={":key": {"N": account}})
    case = Case("index of profiles")
    case.put({"profile_id": {"N": "9100001"}, "x": {"S": "a"}}).put({"profile_id": {"N": "9100001.0"}}, "b").put({"x": {"S": "a"}}, "c")
    yield case.call("Query", IndexName="profiles", KeyConditionExpression="#key = :key", **names("key profile_id"), ExpressionAttributeValues={":key": {"N": "9100001"}})
    yield Case("index key of a wrong type, put").put({"profile_id": {"S": "a"}}).get()
    yield Case("index key of a wrong type, changed").put().update("SET #x = :v", ExpressionAttributeNames={"#x": "profile_id"}, ExpressionAttributeValues={":v": {"S": "a"}}).get()
    yield Case("index key of a null").put({"profile_id": {"NULL": True}}).get()
    case = Case("index key of a wrong type, in a transaction")
    yield case.raw("TransactWriteItems", {"TransactItems": [part("Put", Item=case.key() | {"profile_id": {"S": "a"}})]}).get()


def names(*pairs: str) -> dict:
    """The names of an expression: `key account` is `#key` for the attribute `account`."""
    return {"ExpressionAttributeNames": {f"#{name}": attribute for name, attribute in (pair.split() for pair in pairs)}}


def scans() -> Iterator[Case]:
    """Scans of both tables and of an index, which have no order."""
    case = Case("scan")
    for number in range(3):
        case.call("PutItem", TableName=ENTRIES, Item={"id": {"S": f"scan {number}"}, "account": {"N": "1"}, "received_at": {"N": "1"}})
        case.put({"profile_id": {"N": str(number)}, "x": {"SS": ["b", "a"]}}, str(number)).put({}, f"none {number}")
    for table in (ACCOUNTS, ENTRIES):
        case.call("Scan", TableName=table).call("Scan", TableName=table, Select="COUNT").call("Scan", TableName=table, Segment=0, TotalSegments=1)
    case.call("Scan", IndexName="profiles").call("Scan", IndexName="profiles", Limit=100)
    yield case.call("Scan", Segment=1, TotalSegments=1).call("Scan", Segment=0)


def items() -> Iterator[Case]:
    """Reads of one item."""
    yield Case("get of nothing").get()
    yield Case("get of an empty item").put().get()
    for what, more in {"a projection": {"ProjectionExpression": "x, y.a, z[1]"}, "a reserved word": {"ProjectionExpression": "x, name"}, "overlapping paths": {"ProjectionExpression": "y, y.a"}}.items():
        yield Case(f"get with {what}").put({"x": {"S": "a"}, "y": {"M": {"a": {"S": "b"}}}, "z": {"L": [{"S": "0"}, {"S": "1"}]}}).get(**more)


def batches() -> Iterator[Case]:
    """Reads and writes of many items."""
    def reads(case: Case, sort_keys: list[str], **more) -> Case:
        return case.raw("BatchGetItem", {"RequestItems": {ACCOUNTS: {"Keys": [case.key(sk) for sk in sort_keys], "ConsistentRead": True} | more}})

    def writes(case: Case, *requests: dict, table: str = ACCOUNTS) -> Case:
        return case.raw("BatchWriteItem", {"RequestItems": {table: list(requests)}})

    def putting(case: Case, sk: str, value: dict | None = None) -> dict:
        return {"PutRequest": {"Item": case.key(sk) | {"x": value or {"S": sk}}}}

    def deleting(case: Case, sk: str) -> dict:
        return {"DeleteRequest": {"Key": case.key(sk)}}

    yield reads(filled("batch get of two, one missing"), ["a", "none"])
    yield reads(filled("batch get of the same twice"), ["a", "a"])
    yield reads(filled("batch get of none"), [])
    yield reads(filled("batch get of all"), SORT_KEYS)
    yield reads(filled("batch get of 100"), [str(number) for number in range(99)] + ["a"])
    yield reads(filled("batch get of 101"), [str(number) for number in range(100)] + ["a"])
    yield reads(filled("batch get with a projection"), ["a", "b"], ProjectionExpression="x")
    yield filled("batch get of nothing").raw("BatchGetItem", {"RequestItems": {}})
    yield filled("batch get of no table").raw("BatchGetItem", {"RequestItems": {"nothing": {"Keys": [Case("").key()]}}})
    case = filled("batch get with a wrong key")
    yield case.raw("BatchGetItem", {"RequestItems": {ACCOUNTS: {"Keys": [{"pk": {"S": case.name}}]}}})
    case = filled("batch write")
    yield reads(writes(case, putting(case, "new"), deleting(case, "a"), deleting(case, "none"), putting(case, "b", {"N": "1.0"})), ["a", "b", "new"])
    for what, request in {"put twice": putting, "deleted twice": deleting}.items():
        case = filled(f"batch write {what}")
        yield reads(writes(case, request(case, "a"), request(case, "a")), ["a"])
    case = filled("batch write put and deleted")
    yield reads(writes(case, putting(case, "a"), deleting(case, "a")), ["a"])
    for count in (25, 26):
        case = Case(f"batch write of {count}")
        yield query(writes(case, *(putting(case, f"{number:02}") for number in range(count))))
    case = Case("batch write of a wrong item")
    yield query(writes(case, putting(case, "a"), putting(case, "b", {"SS": []})))
    case = Case("batch write of an empty key")
    yield query(writes(case, putting(case, "a"), putting(case, "")))
    case = Case("batch write of an item without a key")
    yield query(writes(case, putting(case, "a"), {"PutRequest": {"Item": {"pk": {"S": case.name}}}}))
    yield Case("batch write of nothing").raw("BatchWriteItem", {"RequestItems": {}})
    yield Case("batch write of no request").raw("BatchWriteItem", {"RequestItems": {ACCOUNTS: []}})
    yield Case("batch write of both").raw("BatchWriteItem", {"RequestItems": {ACCOUNTS: [putting(Case("batch write of both"), "a") | deleting(Case("batch write of both"), "b")]}})
    case = Case("batch write to no table")
    yield writes(case, putting(case, "a"), table="nothing")
