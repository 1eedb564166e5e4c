"""What is compared of an answer."""

import hashlib
import json

# Members that say what a call costs, and those that are empty where others leave them out.
LEFT_OUT = {"ConsumedCapacity", "ItemCollectionMetrics"}
OPTIONAL = {"UnprocessedKeys", "UnprocessedItems"}
WRAPPED = ("1 validation error detected: ", "ExpressionAttributeValues contains invalid value: ")
SETS = {"SS", "NS", "BS"}
TEXT_MAX = 100


def plain(value, inside: str = ""):
    """The value with its sets in order and its long texts as hashes."""
    if isinstance(value, dict):
        return {name: plain(member, name) for name, member in sorted(value.items())}
    if isinstance(value, list):
        members = [plain(member) for member in value]
        return sorted(members, key=str) if inside in SETS else members
    if isinstance(value, str) and len(value) > TEXT_MAX:
        return f"{value[:10]}… {len(value)} {hashlib.sha256(value.encode(errors='surrogatepass')).hexdigest()[:8]}"
    return value


def words(message: str) -> str:
    """The class of a message: its first part, without what some engines put before it and what they quote."""
    for before in WRAPPED:
        message = message.removeprefix(before)
    return message.split(":")[0].split("[")[0].split("(")[0].strip(" .")[:60]


def compared(operation: str, status: int, body: dict) -> dict:
    """An answer as it is compared."""
    if status == 200:
        answer = {name: plain(member) for name, member in body.items() if name not in LEFT_OUT and not (name in OPTIONAL and not member)}
        for table, items in answer.get("Responses", {}).items() if isinstance(answer.get("Responses"), dict) else ():
            answer["Responses"][table] = sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
        for table, left in answer.get("UnprocessedKeys", {}).items():
            answer["UnprocessedKeys"][table] = {"Keys": len(left["Keys"])}
        if operation == "Scan":
            # In no order.
            answer["Items"] = sorted(answer.get("Items", []), key=lambda item: json.dumps(item, sort_keys=True))
        return {"status": 200} | answer
    answer = {"status": status, "error": body.get("__type", "").rpartition("#")[2], "words": words(body.get("message") or body.get("Message") or "")}
    if "Item" in body:
        answer["Item"] = plain(body["Item"])
    if "CancellationReasons" in body:
        reasons = body["CancellationReasons"]
        answer["words"] = ""
        answer["reasons"] = [reason.get("Code") for reason in reasons]
        answer["items"] = [plain(reason.get("Item")) for reason in reasons]
        answer["reason words"] = [words(reason.get("Message") or "") for reason in reasons]
    return answer


def short(answer: dict) -> str:
    """An answer in a few words."""
    if answer["status"] == 200:
        return "200"
    reasons = answer.get("reasons")
    return answer["error"] + (f" ({', '.join(map(str, dict.fromkeys(reasons)))})" if reasons else "")


def differing(one: dict, other: dict, overlooked: set[str]) -> str:
    """The members in which two answers differ. If the errors do, it is them alone, and the words only if nothing else differs."""
    names = [name for name in sorted({*one, *other} - overlooked) if one.get(name) != other.get(name)]
    more = [name for name in names if "words" not in name]
    if {"status", "error", "reasons"} & set(more):
        return f"{short(other)} for {short(one)}"
    return " and ".join(more or names)
