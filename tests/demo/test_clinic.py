"""The sample clinic: the same everywhere, and careful with other people's files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hedgerow import Refused, SourceError, Unit
from hedgerow.demo import clinic
from hedgerow.demo.clinic import DIAGNOSES, FILE, OLDEST, REGIONS, Clinic, Visit

HEADER = "patient_id,age,region,month,diagnosis,cost\n"


def test_it_is_the_same_everywhere(tmp_path: Path) -> None:
    made, fresh = clinic.prepare(tmp_path / "demo")
    assert fresh
    digest = hashlib.sha256((tmp_path / "demo" / FILE).read_bytes()).hexdigest()
    assert digest == "97fbc89fd21b3506dedf9e00a1c3c1ca34c24f586554583f2c49879cf8c02e68"
    assert clinic.prepare(tmp_path / "demo") == (made, False)
    assert clinic.invent() == made


def test_its_values_are_the_declared_ones() -> None:
    visits = clinic.invent().visits
    assert len({visit.patient_id for visit in visits}) == 1200 < len(visits)
    assert {visit.region for visit in visits} == set(REGIONS)
    assert {visit.diagnosis for visit in visits} == set(DIAGNOSES)
    assert all(0 <= visit.age <= OLDEST for visit in visits)


def test_a_patient_counts_once() -> None:
    rows = [Visit("A", 30, "north", "2026-01", "flu", 1)] * 3 + [
        Visit("A", 99, "north", "2026-02", "asthma", 1),
        Visit("B", 200, "south", "2026-02", "flu", 1),
        Visit("C", -5, "south", "2026-02", "unheard of", 1),
    ]
    made = Clinic(tuple(rows))
    assert sorted(made.ages) == [0, 30, OLDEST]
    assert dict(zip(DIAGNOSES, made.diagnosed, strict=True)) == dict.fromkeys(DIAGNOSES, 0) | {"asthma": 1, "flu": 2}


def test_one_patient_is_one_step_and_moves_counts_by_one() -> None:
    made = clinic.invent()
    for patient in ("P0002", "P1200"):
        neighbour = Clinic(made.without(patient))
        assert Unit("add-remove", owner="patient_id").distance(made.visits, neighbour.visits) == 1
        assert len(made.ages) - len(neighbour.ages) == 1
        assert {a - b for a, b in zip(made.diagnosed, neighbour.diagnosed, strict=True)} <= {0, 1}


def test_reset_makes_an_edited_file_anew(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(HEADER + "X,1,north,2026-01,flu,3\n", encoding="utf-8")
    kept, fresh = clinic.prepare(tmp_path)
    assert (len(kept.visits), fresh) == (1, False)
    made, fresh = clinic.prepare(tmp_path, reset=True)
    assert fresh
    assert len(made.visits) > 1
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("name", ["notes.txt", FILE])
@pytest.mark.parametrize("reset", [True, False])
def test_what_it_did_not_make_it_leaves(name: str, reset: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text("patient_id,secret\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"did not make|not a file that this demo made"):
        clinic.prepare(tmp_path, reset=reset)
    assert (tmp_path / name).read_text(encoding="utf-8") == "patient_id,secret\n"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_other_files_are_counted_and_do_not_hinder_reading(tmp_path: Path) -> None:
    clinic.prepare(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    assert clinic.prepare(tmp_path)[1] is False
    with pytest.raises(Refused, match="holds a and 2 more"):
        clinic.prepare(tmp_path, reset=True)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    clinic.prepare(elsewhere)
    before = (elsewhere / FILE).read_bytes()
    (tmp_path / "demo").symlink_to(elsewhere)
    with pytest.raises(Refused, match="not a folder that this demo made"):
        clinic.prepare(tmp_path / "demo", reset=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / FILE).symlink_to(elsewhere / FILE)
    with pytest.raises(Refused):
        clinic.prepare(tmp_path / "other", reset=True)
    assert (elsewhere / FILE).read_bytes() == before


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("", encoding="utf-8")
    with pytest.raises(Refused, match="not a folder"):
        clinic.prepare(tmp_path / "demo")


@pytest.mark.parametrize("row", [b"P1,old,north,2026-01,flu,3\n", b"P1,7\n", b"P1,7,\xff,2026-01,flu,3\n"])
def test_a_spoilt_file_is_reported_without_its_rows(row: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(HEADER.encode() + row)
    with pytest.raises(SourceError) as caught:
        clinic.prepare(tmp_path)
    assert "--reset" in str(caught.value)
    assert "P1" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be made in"):
        clinic.prepare(tmp_path / "no" / "such" / "folder")
