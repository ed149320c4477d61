"""Programs as lines, for comparing."""

from __future__ import annotations

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Output,
    Program,
    Sample,
    While,
    format_expression,
)


def lines(program: Program) -> list[str]:
    return list(_lines(program.body, ""))


def _lines(block: Block, indent: str) -> list[str]:
    found: list[str] = []
    for one in block:
        match one:
            case Assign():
                found.append(f"{indent}{one.name} = {format_expression(one.value)}")
            case Sample():
                found.append(
                    f"{indent}{one.name} ~"
                    f" {one.noise.value}({', '.join(map(format_expression, one.parameters))})"
                )
            case Output():
                found.append(f"{indent}output {format_expression(one.value)}")
            case If():
                found += [
                    f"{indent}if {format_expression(one.condition)}",
                    *_lines(one.then, indent + "  "),
                ]
                found += (
                    [f"{indent}else", *_lines(one.otherwise, indent + "  ")]
                    if one.otherwise
                    else []
                )
            case While():
                found += [
                    f"{indent}while {format_expression(one.condition)}",
                    *_lines(one.body, indent + "  "),
                ]
    return found
