"""The rows that each section of the bench must show."""

from __future__ import annotations

LAWS = ["laplace", "gaussian"]


# The first two columns of each section's rows.
ROWS = {
    "noise": [(law, scale) for law in LAWS for scale in ("1", "10", "1,000", "1,000,000")],
    "latency": (
        [(law, "first at a new scale") for law in LAWS]
        + [
            (law, f"then {kind}")
            for law in LAWS
            for kind in ("a count, scale 1", "a count, scale 1,000", "a real, grid 2^-20")
        ]
    ),
    "choice": [("Exponential",) * 2, ("PermuteAndFlip",) * 2],
    "median": [
        ("release, ms", "from an array"),
        ("smooth sensitivity, ms", "from an array"),
        *(
            ("ranks off", f"epsilon {epsilon}, {relation}")
            for epsilon in ("1", "0.1")
            for relation in ("add-remove", "change-one")
        ),
        ("memory, MB", "quartiles of 20,000"),
    ],
    "shapes": [
        (shape, epsilon)
        for epsilon in ("1", "0.1")
        for shape in ("skewed", "heavy-tailed", "tied", "spiked")
    ],
    "timing": [*((law, scale) for law in LAWS for scale in ("1", "1,000")), ("geometric", "1")],
    "accounting": [
        (f"{count} x {law}", scale)
        for law, scale in (("gaussian", "50"), ("laplace", "100"))
        for count in ("1,000", "10,000")
    ],
    "import": [(name,) * 2 for name in ("numpy", "hedgerow", "hedgerow.mechanisms")],
    "database": [
        *(
            (what, rows)
            for what in (
                "by person",
                "by person, declared keys",
                "by person, all of it text",
                "by row",
            )
            for rows in ("1,000", "2,000")
        ),
        ("peak of memory, by person, MB", "2,000"),
        ("the same question again, ms", "2,000"),
    ],
    "joins": [
        (what, unit)
        for what in ("milliseconds", "peak of memory, MB")
        for unit in ("by person", "by row")
    ],
    "coverage": [
        (style,) * 2
        for style in (
            "ClickBench",
            "TPC-H",
            "TPC-DS",
            "SQLStorm on StackOverflow",
            "SmartNoise, Qrlew, Tumult, OpenDP",
            "all",
        )
    ],
    "quantiles": [
        (what, unit)
        for what in ("milliseconds", "peak of memory, MB")
        for unit in ("by row", "by person")
    ],
    "tpch": [(f"Q{number}",) * 2 for number in (1, 3, 4, 5, 6, 10, 12, 14, 19)],
    "local": [
        (what,) * 2
        for what in (
            *(f"make: {name}" for name in ("rappor", "projective")),
            *(f"count: {name}" for name in ("rappor", "projective", "rappor in JSON")),
            "count, estimate: projective",
            *(
                f"than {oracle} of {peer}"
                for oracle in ("olh", "oue")
                for peer in ("pure-ldp", "multi-freq-ldpy")
            ),
            "than hadamard of pure-ldp",
        )
    ],
    "decoding": [
        (what,) * 2
        for what in (
            "projective, 1,000 values",
            *(f"rappor, {many} candidates" for many in (20, 40, 60)),
            "hashing 40 candidates",
            "a collector, a batch of 9,996 over HTTP",
        )
    ],
    "people": [
        (name,) * 2
        for name in (
            "hedgerow",
            'hedgerow, noise = "best"',
            "opendp-polars",
            "smartnoise-sql",
            "pyqrlew",
            "pipeline-dp",
        )
    ],
    "uniqueness": [("78 sets, s",) * 2, ("peak of memory, MB",) * 2],
    "proofs": [
        ("laplace_mechanism", "PROVED"),
        ("bad_sum_without_noise", "REFUTED"),
        ("all", "2 programs"),
    ],
    "engines": [("total", "Spark"), ("by key", "Spark")],
    "channels": [
        (attack, protocol)
        for attack in ("a heavy branch of CASE", "a hot join key", "a million rows")
        for _ in ("on schedule", "when ready")
        for protocol in ("HTTP", "PostgreSQL")
    ],
    "service": [
        *(
            (what, how)
            for how in ("median", "fastest tenth")
            for what in ("Database.query of a stored answer, ms", "added by the service, ms")
        ),
        *(
            (f"{kind} a second", f"{analysts} analysts")
            for analysts in (1, 8, 64)
            for kind in ("new questions", "stored answers")
        ),
        ("an idle connection, kB", "of 20"),
        ("idle connections that answer", "of 20"),
        ("p99, times", "20 half-open connections"),
        ("AUC of known and unknown names", "time of a login"),
    ],
}


# Section, how many targets it has, the columns of ROWS, and the columns that hold figures.
CASES = [
    ("noise", 4, "law", "scale", {"hedgerow", "numpy rounded", "numpy floats"}),
    ("latency", 2, "law", "what", {"hedgerow"}),
    ("choice", 1, "mechanism", "mechanism", {"hedgerow", "numpy, unsafe", "times numpy"}),
    ("median", 4, "what", "how", {"hedgerow"}),
    (
        "shapes",
        2,
        "shape",
        "epsilon",
        {"exponential", "inverse", "smooth", "laplace", "laplace / chosen"},
    ),
    ("timing", 2, "law", "scale", {"Spearman", "median, ns"}),
    ("accounting", 1, "releases", "scale", {"epsilon", "at once, ms", "one by one, ms"}),
    ("import", 0, "import", "import", {"ms", "times numpy"}),
    ("database", 4, "what", "rows", {"hedgerow"}),
    ("people", 1, "who", "who", set()),
    ("joins", 3, "what", "unit", {"hedgerow", "plain", "ours / plain"}),
    ("coverage", 4, "style", "style", {"statements", "answered", "rightly refused"}),
    ("quantiles", 1, "what", "unit", {"hedgerow", "DuckDB", "ours / DuckDB"}),
    ("tpch", 0, "question", "question", {"hedgerow, ms", "DuckDB, ms", "statement, ms", "clipped"}),
    ("accuracy", 7, "", "", set()),
    ("capped", 3, "", "", {"meant", "plain SQL", "off, s.e."}),
    ("sums", 3, "", "", set()),
    ("publishing", 3, "", "", set()),
    ("synthetic", 2, "", "", set()),
    ("local", 4, "what", "what", {"ours, k/s"}),
    ("decoding", 5, "what", "what", {"hedgerow, s"}),
    ("uniqueness", 3, "what", "what", {"hedgerow"}),
    ("proofs", 2, "program", "verdict", {"s"}),
    ("channels", 2, "the person has", "protocol", {"AUC", "standard error"}),
    ("service", 5, "what", "how", {"HTTP"}),
    ("engines", 2, "question", "engine", {"plain s", "ours s", "ours / plain"}),
]


# These open databases, decode collections or draw for seconds, even when they are quick: they are
# left to `make slow`. The accounting is run by a test of its own.
LARGE = {
    *(
        "accounting",
        "accuracy",
        "engines",
        "capped",
        "coverage",
        "database",
        "decoding",
        "joins",
        "latency",
        "noise",
        "people",
    ),
    *("channels", "publishing", "quantiles", "service", "tpch", "uniqueness"),
}
