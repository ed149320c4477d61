"""The templates of the pages, with automatic escaping, and the static files beside them."""

from __future__ import annotations

import time
from decimal import ROUND_DOWN, Context, Decimal
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

__all__ = ["STATIC_FOLDER", "render_template"]

_FOLDER: Final = Path(__file__).parent
STATIC_FOLDER: Final = _FOLDER / "static"
_SMALL: Final = Decimal("0.0001")  # below it a number is written with an exponent


def _format_plain(value: object) -> str:
    """Return a decimal text with at most seven digits that count."""
    text = f"{float(str(value)):.7g}"
    if "e" in text:
        text = f"{float(text):.12f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _format_short(value: object) -> str:
    """Return what is left of a budget with at most four digits that count, rounded down."""
    number = Context(prec=4, rounding=ROUND_DOWN).create_decimal(str(value)).normalize()
    return f"{number:f}" if number == 0 or abs(number) >= _SMALL else f"{number:g}"


def _format_day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


_ENVIRONMENT: Final = Environment(
    loader=FileSystemLoader(_FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {"plain": _format_plain, "short": _format_short, "day": _format_day}


def render_template(name: str, status: int = 200, **values: Any) -> Response:
    """Render a page."""
    defaults: dict[str, Any] = {
        "account": None,
        "form_secret": "",
        "message": "",
        "pages": (),
        "path": "",
        "problem": "",
        "problem_title": "",
    }
    return HTMLResponse(_ENVIRONMENT.get_template(name).render(defaults | values), status)
