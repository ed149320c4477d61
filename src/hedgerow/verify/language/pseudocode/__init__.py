"""The front end of ``*.hr`` files: ``lexer`` splits lines into tokens, ``expressions`` and
``statements`` parse bodies, ``parser`` parses heads and judgements.
"""

from __future__ import annotations

from hedgerow.verify.language.pseudocode.parser import PseudocodeDocument, parse_document

__all__ = ["PseudocodeDocument", "parse_document"]
