"""Judgements for tests, written short."""

from __future__ import annotations

from hedgerow.verify.language.judgement import Judgement
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.language.unsupported import UnsupportedProgram

PROGRAMS = """
Pad(m : private bits[n], n : public int) : public bits[n]
  key :=$ Uniform(bits[n]);
  return m xor key

Fair(n : public int) : public bits[n]
  key :=$ Uniform(bits[n]);
  return key

Twice(m : private bits[1], k : private bits[1]) : public list
  key :=$ Uniform(bits[1]);
  output m xor key;
  output k xor key

Leak(m : private bits[2]) : public bits[2]
  key :=$ Uniform(bits[2]);
  return m & key

Respond(x : private bool) : public bool
  truth :=$ Bernoulli(3/4);
  return x = truth

Walk(x : private int) : public int
  up :=$ Bernoulli(1/2);
  y := x;
  if up then
    y := y + 1
  else
    y := y - 1
  return y

Lazy(x : private int, p : public real) : public int
  up :=$ Bernoulli(p);
  y := x;
  if up then
    y := y + 1
  return y

Laplace(x : private real, eps : public real) : public real
  z :=$ Laplace(1 / eps);
  return x + z

Wide(m : private bits[512]) : public bits[512]
  key :=$ Uniform(bits[512]);
  return m xor key

Lists(l : private list) : public real
  return l[0]

Endless(b : private bool) : public bool
  while true do
    b := b;
  return b

Irrational(b : private bool) : public bool
  c :=$ Bernoulli(exp(0 - 1));
  return c

Sometimes(b : private bool) : public bool
  if b then
    w := 1;
  return b
"""


def judge(text: str) -> Judgement:
    """``left ~ right : before ==> after [epsilon, delta]`` about the programs above."""
    (found,) = parse_document(f"{PROGRAMS}\njudge {text}\n").judgements
    assert isinstance(found, Judgement), (
        str(found) if isinstance(found, UnsupportedProgram) else found
    )
    return found
