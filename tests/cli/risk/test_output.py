"""What the commands of risk share."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.cli.risk.output import check_report_folder, print_warning, write_report
from hedgerow.errors import SourceError


def test_the_warning_goes_where_the_answer_goes(capsys: pytest.CaptureFixture[str]) -> None:
    print_warning()
    said = capsys.readouterr()
    assert said.out.startswith("SENSITIVE: this output was computed")
    assert not said.err


def test_a_report_is_its_owners_alone(tmp_path: Path) -> None:
    """Also where a file that everybody may read was there before."""
    page = tmp_path / "report.html"
    page.write_text("old")
    page.chmod(0o644)
    write_report(page, "new – page")
    assert page.read_text(encoding="utf-8") == "new – page"
    assert page.stat().st_mode & 0o777 == 0o600


def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: Is a directory"):
        write_report(tmp_path, "")
    with pytest.raises(SourceError, match=r"does not exist\. Create it first"):
        check_report_folder(tmp_path / "none" / "report.html")
    check_report_folder(tmp_path / "report.html")
    check_report_folder(None)
