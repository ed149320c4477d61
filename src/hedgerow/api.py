"""The public functions ``open`` and ``protect``. They load the database when they are called, so
that ``import hedgerow`` stays light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hedgerow.errors import InvalidArgument, trim_tracebacks

if TYPE_CHECKING:
    from hedgerow.database import Database
    from hedgerow.numeric.exact_number import Number

__all__ = ["open", "protect"]


@trim_tracebacks
def open(
    path: str | Path,
    *,
    analyst: str | None = None,
    deadline: float = 60.0,
    in_process: bool = False,
) -> Database:
    """Open the database of a policy file. The engine runs in a process of its own, which is killed
    after ``deadline`` seconds."""
    from hedgerow import database

    return database.open(path, analyst=analyst, deadline=deadline, in_process=in_process)


@trim_tracebacks
def protect(
    frame: Any,
    *,
    unit: str | Sequence[str],
    neighbours: str,
    columns: Mapping[str, Any] | None = None,
    epsilon: Number,
    delta: Number | None = None,
    noise: str = "laplace",
    max_groups: int | Literal["auto"] | None = None,
    max_rows_per_group: int | Literal["auto"] | None = None,
    max_units: int = 10_000_000,
    version: str = "1",
    ledger: str | Path | None = None,
    as_of: date | None = None,
) -> Database:
    """Protect a frame (pandas, polars, Arrow) as the table "data", in this process. The ledger is
    in memory unless a file is named.

    ``columns`` declares bounds and lists of values, which are never read from the data; a column
    that is not declared has the type of the frame's schema.

    ``max_groups`` and ``max_rows_per_group`` are how many groups of an answer, and rows in a group,
    one unit contributes. They have no default: a question that needs one is refused and names it;
    ``"auto"`` has it found privately, for a share of the epsilon of the question.

    ``as_of`` is what CURRENT_DATE and CURRENT_TIMESTAMP mean in questions.

    A ledger file belongs to one frame: answers about a ``version`` are reused, whatever frame is
    given. Name another version when rows have changed, and another ledger for other people.
    """
    from hedgerow import database
    from hedgerow.policy import Policy

    _check_frame(frame)
    policy = Policy.for_frame(
        frame,
        unit=unit,
        neighbours=neighbours,
        columns=columns,
        epsilon=epsilon,
        delta=delta,
        noise=noise,
        max_groups=max_groups,
        max_rows_per_group=max_rows_per_group,
        max_units=max_units,
        version=version,
        ledger=ledger,
        as_of=as_of,
    )
    return database.open_frame(frame, policy)


def _check_frame(frame: object) -> None:
    if isinstance(frame, str | Path):
        raise InvalidArgument(
            "frame",
            "must be a frame, not a path: read the file first, as in hr.protect(pandas.read_csv(…),"
            " …), or write a policy with 'hedgerow init' and open it with hr.open",
            str(frame),
        )
    if frame is None or isinstance(frame, bytes | bytearray | int | float | list | tuple | set):
        raise InvalidArgument(
            "frame",
            "must be a pandas, polars or Arrow frame, such as pandas.DataFrame(…)",
            type(frame).__name__,
        )
