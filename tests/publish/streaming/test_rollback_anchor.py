"""The anchor of a stream: it goes forward, whole or not at all, and only for its own stream."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import SourceError
from hedgerow.publish.streaming.rollback_anchor import StreamAnchor, hash_next_answer


def anchor(stream: str, number: int, head: str, state: str = "/nowhere/sums") -> StreamAnchor:
    return StreamAnchor(stream, number, head, state)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return StreamAnchor.default_path(tmp_path / "sums")


def test_an_anchor_is_read_as_it_was_written(place: Path) -> None:
    assert place.name == "sums.anchor"
    assert StreamAnchor.read(place) is None
    anchor("s", 3, "h").write(place)
    assert StreamAnchor.read(place) == anchor("s", 3, "h")
    assert place.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_an_anchor_never_goes_back(place: Path) -> None:
    anchor("s", 3, "h").write(place)
    for later in (anchor("s", 2, "x"), anchor("s", 3, "x"), anchor("t", 9, "x")):
        later.advance(place)
        assert StreamAnchor.read(place) == anchor("s", 3, "h")
    anchor("s", 5, "y").advance(place)
    assert StreamAnchor.read(place) == anchor("s", 5, "y")


def test_a_missing_anchor_is_not_made_again(place: Path) -> None:
    anchor("s", 5, "y").advance(place)
    assert not place.exists()


def test_a_stream_begins_when_nothing_was_released(place: Path) -> None:
    anchor("s", 0, "s").create(place)
    anchor("t", 0, "t").create(place)
    assert StreamAnchor.read(place) == anchor("t", 0, "t")
    anchor("t", 1, "h").advance(place)
    with pytest.raises(SourceError, match="records 1 answers"):
        anchor("u", 0, "u").create(place)


def test_only_the_first_of_two_processes_creates_a_stream(place: Path) -> None:
    state = place.with_name("sums")
    anchor("s", 0, "s", str(state)).create(place)
    state.touch()
    with pytest.raises(SourceError, match="records 0 answers"):
        anchor("t", 0, "t").create(place)


@pytest.mark.parametrize("content", [b"", b"[] ", b"{}" * 5000, b"\xff" * 20_000])
def test_a_damaged_anchor_is_refused(place: Path, content: bytes) -> None:
    place.write_bytes(content)
    with pytest.raises(SourceError, match="is damaged"):
        StreamAnchor.read(place)


@pytest.mark.parametrize("number", [1, 2, 5, 6])
def test_a_page_that_is_half_written_does_not_count(place: Path, number: int) -> None:
    for each in range(number + 1):
        anchor("s", each, "h").write(place)
    with place.open("r+b") as file:
        file.seek(8192 * (number % 2) + 20)
        file.write(b"half")
    assert StreamAnchor.read(place) == anchor("s", number - 1, "h")


def test_a_first_page_that_is_half_written_is_replaced_and_others_are_not(place: Path) -> None:
    place.write_bytes(b"half")
    anchor("s", 0, "s").create(place)
    assert StreamAnchor.read(place) == anchor("s", 0, "s")
    place.write_bytes(b"half" * 4096)  # it had a second page: something was told
    with pytest.raises(SourceError, match="is damaged"):
        anchor("s", 0, "s").create(place)


def test_the_hash_is_of_all_answers() -> None:
    one = hash_next_answer("s", 1, 0.5)
    assert (
        len(
            {
                one,
                hash_next_answer("t", 1, 0.5),
                hash_next_answer("s", 2, 0.5),
                hash_next_answer("s", 1, 0.25),
                hash_next_answer(one, 2, 0.5),
            }
        )
        == 5
    )
