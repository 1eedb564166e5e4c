"""Every form of a condition and of a change, with every type of operand, on every type of attribute."""

from collections.abc import Iterator

from .values import OLD, VALUES, WRONG, Case, used

# The conditions that shared/src/store/table/guard.rs writes.
GUARDS = {
    "=": "#x = :v", "<>": "#x <> :v", "<": "#x < :v", ">": "#x > :v", "contains": "contains(#x, :v)",
    "NOT contains": "NOT contains(#x, :v)", "size": "size(#x) < :v",
}
# The changes that shared/src/store/table/expression.rs writes.
CHANGES = {
    "SET": "SET #x = :v", "if_not_exists": "SET #x = if_not_exists(#x, :v)", "plus": "SET #x = #x + :v",
    "list_append": "SET #x = list_append(if_not_exists(#x, :none), :v)", "ADD": "ADD #x :v", "DELETE": "DELETE #x :v",
}
RETURNED = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
EXISTING = {"nothing": None, **{kind: values[0] for kind, values in VALUES.items()}}
OPERANDS = {kind: values[0] for kind, values in VALUES.items()}


def item(value: dict | None) -> dict:
    """The attributes of an item, which may lack `x`."""
    return {"y": {"N": "7"}} | ({"x": value} if value else {})


def guards() -> Iterator[Case]:
    """A condition, which holds or fails, and the item that is returned then."""
    for form, text in GUARDS.items():
        for had, existing in EXISTING.items():
            for kind, operand in OPERANDS.items():
                case = Case(f"guard {form}, {kind} to {had}").put(item(existing))
                yield case.update("SET #y = :y", ConditionExpression=text, **used("x y", {":v": operand, ":y": {"N": "8"}}), **OLD).get()
        for one, other in (({"N": "2"}, {"N": "10"}), ({"S": "a"}, {"S": "b"}), ({"B": "YQ=="}, {"B": "Yg=="}), ({"SS": ["a", "b"]}, {"N": "3"}), ({"L": [{"N": "1"}]}, {"N": "2"}), ({"S": "é"}, {"N": "2"})):
            for existing, operand in ((one, other), (other, one)):
                case = Case(f"guard {form}, {operand} to {existing}").put(item(existing))
                yield case.update("SET #y = :y", ConditionExpression=text, **used("x y", {":v": operand, ":y": {"N": "8"}}), **OLD).get()
        yield Case(f"guard {form}, no item").call(
            "DeleteItem", Key=Case(f"guard {form}, no item").key(), ConditionExpression=text, **used("x", {":v": {"N": "1"}}), **OLD)
    for had, existing in EXISTING.items():
        for form in ("attribute_exists(#x)", "attribute_not_exists(#x)", "attribute_exists(#x) AND #y = :v", "(attribute_not_exists(#x) OR #y > :v)"):
            more = used("x y", {":v": {"N": "7"}}) if ":v" in form else used("x")
            yield Case(f"guard {form} on {had}").put(item(existing)).put({"z": {"S": "new"}}, ConditionExpression=form, **more, **OLD).get()
    for form in ("attribute_exists(#pk)", "attribute_not_exists(#pk)", "attribute_not_exists(#pk) AND NOT contains(#x, :v) OR #y > :v"):
        for exists in (True, False):
            case = Case(f"guard {form} {'with' if exists else 'without'} an item")
            case = case.put(item({"SS": ["a"]})) if exists else case
            more = used("pk x y", {":v": {"S": "a"}}) if ":v" in form else used("pk")
            yield case.put({"z": {"S": "new"}}, ConditionExpression=form, **more, **OLD).get()


def pairs() -> Iterator[Case]:
    """Comparisons and sums of the hostile values of one type."""
    for kind in ("N", "S", "B", "SS", "L", "M", "BOOL", "NS"):
        values = VALUES[kind]
        for at, one in enumerate(values):
            # Each value with itself, with its neighbours, and with the plainest one.
            for other in {id(value): value for value in (one, values[at - 1], values[(at + 1) % len(values)], values[0])}.values():
                name = f"pair {kind} {at}-{values.index(other)}"
                case = Case(name).put({"x": one})
                for form in ("=", "<>", "<", ">") if kind in ("N", "S", "B") else ("=", "<>"):
                    case.update("SET #y = :y", ConditionExpression=GUARDS[form], **used("x y", {":v": other, ":y": {"S": form}}), **OLD)
                if kind == "N":
                    for form in ("plus", "ADD"):
                        case.put({"x": one}).update(CHANGES[form], **used("x", {":v": other}), ReturnValues="ALL_NEW")
                if kind in ("SS", "NS"):
                    for form in ("ADD", "DELETE"):
                        case.put({"x": one}).update(CHANGES[form], **used("x", {":v": other}), ReturnValues="ALL_NEW")
                yield case.get()


def changes() -> Iterator[Case]:
    """A change, and what the call returns."""
    for form, text in CHANGES.items():
        for had, existing in EXISTING.items():
            for kind, operand in OPERANDS.items():
                values = {":v": operand} | ({":none": {"L": []}} if ":none" in text else {})
                yield Case(f"change {form}, {kind} to {had}").put(item(existing)).update(text, **used("x", values), ReturnValues="ALL_NEW").get()
        for returned in RETURNED:
            operand = {"L": [{"S": "b"}]} if form == "list_append" else {"SS": ["a"]} if form == "DELETE" else {"N": "1"}
            values = {":v": operand} | ({":none": {"L": []}} if ":none" in text else {})
            yield Case(f"change {form} of no item, {returned}").update(text, **used("x", values), ReturnValues=returned).get()
            case = Case(f"change {form}, {returned}").put(item(operand))
            yield case.update(f"{text} REMOVE #y, #z", **used("x y z", values), ReturnValues=returned).get()
    for had, existing in EXISTING.items():
        yield Case(f"change REMOVE of {had}").put(item(existing)).update("REMOVE #x", **used("x"), ReturnValues="ALL_NEW").get()
    yield Case("change REMOVE of no item").update("REMOVE #x", **used("x"), ReturnValues="ALL_NEW").get()
    for returned in RETURNED:
        yield Case(f"put, {returned}").put(item({"S": "a"})).put({"z": {"S": "b"}}, ReturnValues=returned).get()
        yield Case(f"put of a new item, {returned}").put({"z": {"S": "b"}}, ReturnValues=returned).get()
        for exists in (True, False):
            case = Case(f"delete of {'an' if exists else 'no'} item, {returned}")
            case = case.put(item({"S": "a"})) if exists else case
            yield case.call("DeleteItem", Key=case.key(), ReturnValues=returned).get()
    yield Case("delete the whole set").put({"x": {"SS": ["a", "b"]}}).update("DELETE #x :v", **used("x", {":v": {"SS": ["a", "b", "c"]}}), ReturnValues="ALL_NEW").get()
    yield Case("add twice").update("ADD #x :v", **used("x", {":v": {"N": "5"}}), ReturnValues="UPDATED_NEW").update(
        "ADD #x :v", **used("x", {":v": {"N": "-7"}}), ReturnValues="UPDATED_NEW")
    yield Case("all clauses").put({"n": {"N": "1"}, "s": {"SS": ["a", "b"]}, "r": {"S": "r"}}).update(
        "SET #a = :a, #l = list_append(if_not_exists(#l, :none), :list) REMOVE #r ADD #n :n DELETE #s :s",
        **used("a l r n s", {":a": {"S": "1"}, ":none": {"L": []}, ":list": {"L": [{"S": "1"}]}, ":n": {"N": "1"}, ":s": {"SS": ["a"]}}), ReturnValues="ALL_NEW")
    yield Case("old values on the right side").put({"a": {"N": "1"}, "b": {"N": "2"}}).update("SET #a = #b, #b = #a", **used("a b"), ReturnValues="ALL_NEW")


def stored() -> Iterator[Case]:
    """Each value is stored, read, and used in a condition and a change."""
    for kind, values in VALUES.items():
        for at, value in enumerate(values):
            yield Case(f"stored {kind} {at}").put({"x": value}).get().update("SET #y = :v", **used("y", {":v": value}), ReturnValues="ALL_NEW")
    for what, value in WRONG.items():
        yield Case(f"wrong: {what}, put").put({"x": value}).get()
        yield Case(f"wrong: {what}, changed").update("SET #x = :v", **used("x", {":v": value})).get()
        yield Case(f"wrong: {what}, compared").put({"x": {"S": "a"}}).put(ConditionExpression="#x = :v", **used("x", {":v": value}), **OLD).get()
