"""``*.hr`` files: ``documents`` reads heads and judgements, ``body`` statements, ``expressions`` what stands in those, ``words`` words."""

from __future__ import annotations

from hedgerow.verify.language.hr.documents import Document, parse

__all__ = ["Document", "parse"]
