from __future__ import annotations

import tomllib

import pytest

from hedgerow.policy.toml.line_numbers import find_key_lines

HARD = '''\
# a comment with [a.header] and key = "value"
top = 1

[a.b]      # comment ]
x = "a # no comment [c]"
y = """
[not.a.header]
z = 1
\\""" still inside"""
'quoted key' = 'C:\\'
[a."dotted.name"]
list = [
  "]", # ]
  { k = 1 },
]
deep.inner.leaf = { u = 1, v = [ 2 ] }
[[many]]
n = \'\'\'
n = 3
\'\'\'\'
m = ""
"\\u0061" = 2
'''


def test_every_key_is_found_where_it_stands() -> None:
    tomllib.loads(HARD)
    lines = HARD.splitlines()
    found = find_key_lines(HARD)
    where = {".".join(path): lines[number - 1] for path, number in found.items()}
    assert where == {
        "top": "top = 1",
        "a": "[a.b]      # comment ]",
        "a.b": "[a.b]      # comment ]",
        "a.b.x": 'x = "a # no comment [c]"',
        "a.b.y": 'y = """',
        "a.b.quoted key": "'quoted key' = 'C:\\'",
        "a.dotted.name": '[a."dotted.name"]',
        "a.dotted.name.list": "list = [",
        "a.dotted.name.deep": "deep.inner.leaf = { u = 1, v = [ 2 ] }",
        "a.dotted.name.deep.inner": "deep.inner.leaf = { u = 1, v = [ 2 ] }",
        "a.dotted.name.deep.inner.leaf": "deep.inner.leaf = { u = 1, v = [ 2 ] }",
        "many": "[[many]]",
        "many.n": "n = '''",
        "many.m": 'm = ""',
        "many.a": '"\\u0061" = 2',
    }


def test_windows_line_ends_count_once() -> None:
    assert find_key_lines("a = 1\r\nb = '''x\r\ny'''\r\nc = 3\r\n") == {
        ("a",): 1,
        ("b",): 2,
        ("c",): 4,
    }


def test_an_empty_text_has_no_keys() -> None:
    assert find_key_lines("\n# nothing\n") == {}


@pytest.mark.parametrize("quotes", ['"' * 3, "'" * 3])
def test_quotes_at_the_end_of_a_long_text_belong_to_it(quotes: str) -> None:
    text = f"a = {quotes}x{quotes[0] * 2}{quotes}\nb = 2\n"
    assert tomllib.loads(text) == {"a": f"x{quotes[0] * 2}", "b": 2}
    assert find_key_lines(text) == {("a",): 1, ("b",): 2}
