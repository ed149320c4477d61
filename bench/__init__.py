"""Speed and accuracy, measured against named peers and against the limit. ``make bench``, or
``python -m bench --help``.

Machines are noisy and differ, so no time here means much on its own. What counts are the ratios of
one run: contenders take turns, and each is judged by the fastest of its rounds. Nothing is
asserted; every target of the project is marked "met" or "not met".
"""
