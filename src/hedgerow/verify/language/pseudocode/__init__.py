"""``*.hr`` files: ``documents`` reads heads and judgements, ``body`` statements, ``expressions``
what stands in those, ``words`` words.
"""

from __future__ import annotations

from hedgerow.verify.language.pseudocode.parser import PseudocodeDocument, parse_document

__all__ = ["PseudocodeDocument", "parse_document"]
