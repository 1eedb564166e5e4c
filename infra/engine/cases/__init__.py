"""The cases."""

from collections.abc import Iterator
from itertools import chain

from . import forms, limits, reads, transactions, writes
from .values import Case


def every() -> Iterator[Case]:
    """All cases, always the same. No two have the same name. Scans are first, because they read what other cases have written."""
    parts = (
        reads.scans, writes.guards, writes.pairs, writes.changes, writes.stored, reads.partitions, reads.indexes, reads.items, reads.batches, transactions.reasons,
        transactions.wrong, transactions.tokens, transactions.reads, limits.keys, limits.sizes, limits.expressions, forms.cases,
    )
    return chain.from_iterable(part() for part in parts)
