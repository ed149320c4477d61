"""Questions about dates that are known by month or by year: refused ones and answered ones."""

from __future__ import annotations

# The question, the part that is underlined, and what to write instead.
PARTIAL_PERIODS = [
    (
        "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-10' AND '2026-06-20'",
        "month BETWEEN '2026-06-10' AND '2026-06-20'",
        "'2026-06-01' instead of '2026-06-10'",
    ),
    (
        "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-01' AND '2026-06-20'",
        "",
        "'2026-06-30' instead of '2026-06-20'",
    ),
    (
        "COUNT(*) FROM visits WHERE month >= '2026-06-15'",
        "month >= '2026-06-15'",
        "Write '2026-06-01' instead of '2026-06-15'; or declare",
    ),
    (
        "COUNT(*) FROM visits WHERE '2026-06-30' > month",
        "'2026-06-30' > month",
        "Write '2026-06-01' instead of '2026-06-30'; or declare",
    ),
    (
        "COUNT(*) FROM visits WHERE '2026-06-15' < month",
        "'2026-06-15' < month",
        "Write '2026-06-30' instead",
    ),
    (
        "COUNT(*) FROM visits WHERE month = '2026-06-30'",
        "",
        "Write '2026-06-01' instead of '2026-06-30': it means the whole month",
    ),
    ("COUNT(*) FROM visits WHERE month <> '2026-06-15'", "", "Write '2026-06-01' instead"),
    (
        "COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-02')",
        "",
        "Write '2026-07-01' instead of '2026-07-02'",
    ),
    ("COUNT(*) FROM visits WHERE born <= '2025-06-30'", "", "Write '2025-12-31' instead"),
    ("COUNT(*) FROM visits WHERE month <= '9999-12-30'", "", "Write '9999-12-31' instead"),
    (
        "COUNT(*) FROM visits WHERE DAY(month) <= 15",
        "DAY(month)",
        "Write MONTH(month), QUARTER(month), YEAR(month) or DATE_TRUNC('month', month); or",
    ),
    ("DAYOFWEEK(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
    ("DAYOFYEAR(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
    (
        "DATE_TRUNC('week', month) AS d, COUNT(*) FROM visits GROUP BY d",
        "",
        "DATE_TRUNC('month', month)",
    ),
    (
        "COUNT(*) FROM visits WHERE MONTH(born) = 1",
        "MONTH(born)",
        "Write YEAR(born) or DATE_TRUNC('year', born)",
    ),
    (
        "COUNT(*) FROM visits WHERE month = day",
        "month = day",
        "Write DATE_TRUNC('month', day); or declare",
    ),
    (
        "COUNT(*) FROM visits WHERE day < month",
        "day < month",
        "Write DATE_TRUNC('month', day); or declare",
    ),
    # Of two that are known, the coarser one says in what to ask; all that either side may be is
    # looked at.
    (
        "COUNT(*) FROM visits WHERE born = month",
        "",
        "Write DATE_TRUNC('year', month); or declare days in the policy: born",
    ),
    (
        "COUNT(*) FROM visits WHERE month = born",
        "",
        "Write DATE_TRUNC('year', month); or declare days in the policy: born",
    ),
    (
        "COUNT(*) FROM visits WHERE born = DATE_TRUNC('month', day)",
        "",
        "Write DATE_TRUNC('year', day)",
    ),
    (
        "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN month ELSE day END",
        "",
        "Write DATE_TRUNC('month', day)",
    ),
    (
        (
            "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN day WHEN age > 3 THEN"
            " month END"
        ),
        "",
        "DATE_TRUNC('month', day)",
    ),
    ("COUNT(*) FROM visits WHERE month = COALESCE(until, day)", "", "DATE_TRUNC('month', day)"),
    ("COUNT(*) FROM visits WHERE month IN (until, day)", "", "DATE_TRUNC('month', day)"),
    (
        "COUNT(*) FROM visits WHERE COALESCE(month, born) = '2025-03-01'",
        "",
        "Write '2025-01-01' instead of '2025-03-01'",
    ),
    ("COUNT(*) FROM visits WHERE MONTH(COALESCE(month, born)) = 3", "", "Write YEAR(born)"),
    (
        (
            "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN DATE '2026-01-15' ELSE"
            " month END"
        ),
        "",
        "Write '2026-01-01' instead of '2026-01-15'",
    ),
    (
        "COUNT(*) FROM visits WHERE month <= DATE '2026-02-28' + INTERVAL 1 MONTH",
        "",
        "Write '2026-02-01' instead of '2026-02-28'",
    ),
    (
        "COUNT(*) FROM visits WHERE born = DATE_TRUNC('year', day) + INTERVAL 1 MONTH",
        "",
        "DATE_TRUNC('year', …) of the other date",
    ),
    (
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('week', day)",
        "",
        "DATE_TRUNC('month', …) of the other date",
    ),
    (
        "COUNT(*) FROM visits WHERE month = day + 3",
        "",
        "DATE_TRUNC('month', …) of the other date",
    ),
    (
        "COUNT(*) FROM (SELECT month, day AS d FROM visits) AS t WHERE month = d",
        "",
        "DATE_TRUNC('month', …) of the other date",
    ),
    (
        "month, COUNT(*) FROM visits GROUP BY month HAVING month = MAX(month)",
        "",
        "DATE_TRUNC('month', …) of the other date",
    ),
    (
        "COUNT(*) FROM visits WHERE month + 3 > DATE '2026-06-01'",
        "month + 3",
        "Write month + INTERVAL 1 MONTH, or DATE_DIFF('month', a, b)",
    ),
    ("AVG(LEAST(month - day, 9)) FROM visits", "month - day", "DATE_DIFF('month', a, b)"),
    (
        "COUNT(*) FROM visits WHERE born + INTERVAL 1 MONTH > DATE '2025-01-01'",
        "",
        "Write born + INTERVAL 1 YEAR",
    ),
    (
        "COUNT(*) FROM visits WHERE COALESCE(month, DATE '2026-01-01') > DATE '2026-06-15'",
        "",
        "'2026-06-30' instead",
    ),
    (
        "COUNT(*) FROM visits WHERE GREATEST(month, DATE '2026-06-15') = DATE '2026-06-15'",
        "",
        "'2026-06-01' instead",
    ),
    (
        "month, COUNT(*) FROM visits GROUP BY month HAVING month > '2026-06-15'",
        "month > '2026-06-15'",
        "'2026-06-30' instead",
    ),
    (
        "COUNT(*) FROM (SELECT month AS m FROM visits WHERE age > 3) AS t WHERE DAY(m) = 1",
        "DAY(m)",
        "MONTH(month)",
    ),
    (
        (
            "COUNT(*) FROM (SELECT patient_id, MAX(month) AS m FROM visits GROUP BY patient_id)"
            " AS t WHERE m > '2026-06-15'"
        ),
        "",
        "'2026-06-30'",
    ),
    (
        (
            "COUNT(*) FROM (SELECT patient_id, month FROM visits GROUP BY patient_id, month) AS"
            " t WHERE DAY(month) = 1"
        ),
        "",
        "MONTH(month)",
    ),
    (
        (
            "COUNT(*) FROM (SELECT day AS d FROM visits UNION ALL SELECT month AS d FROM"
            " visits) AS t WHERE DAY(d) = 1"
        ),
        "",
        "MONTH(month)",
    ),
    (
        "COUNT(*) FROM labs l JOIN visits v USING (patient_id) WHERE DAY(v.month) = 1",
        "DAY(v.month)",
        "MONTH(month)",
    ),
    (
        ("COUNT(*) FROM labs l JOIN visits v ON l.patient_id = v.patient_id AND l.taken = v.month"),
        "l.taken = v.month",
        "DATE_TRUNC('month', taken)",
    ),
]
WHOLE_PERIODS = [
    "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-01' AND '2026-06-30'",
    "COUNT(*) FROM visits WHERE month >= '2026-06-01' AND month < '2026-07-01'",
    "COUNT(*) FROM visits WHERE month > '2026-06-30' AND month <= '2026-08-01'",
    ("COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-01') AND month <> '2026-08-01'"),
    "COUNT(*) FROM visits WHERE month IS NULL OR month < '2030-01-01'",
    "COUNT(*) FROM visits WHERE month <= '9999-12-31'",
    "COUNT(*) FROM visits WHERE YEAR(month) = 2026 AND QUARTER(month) = 2 AND MONTH(month) = 4",
    "DATE_TRUNC('quarter', month) AS q, COUNT(*) FROM visits GROUP BY q",
    "COUNT(*) FROM visits WHERE DATE_TRUNC('month', month) <= '2026-06-15'",
    "COUNT(*) FROM visits WHERE month = DATE_TRUNC('month', day)",
    "COUNT(*) FROM visits WHERE month = DATE_TRUNC('year', born)",
    "COUNT(*) FROM visits WHERE month = until",
    "COUNT(*) FROM visits WHERE DATE_TRUNC('year', month) = born",
    (
        "COUNT(*) FROM (SELECT month, DATE_TRUNC('month', day) AS m FROM visits) AS t WHERE"
        " month = m"
    ),
    "COUNT(*) FROM visits WHERE month = DATE_TRUNC('month', day) + INTERVAL 1 MONTH",
    "COUNT(*) FROM visits WHERE month >= DATE_TRUNC('quarter', day) - INTERVAL 3 MONTH",
    "COUNT(*) FROM visits WHERE month = COALESCE(DATE_TRUNC('month', day), DATE '2026-01-01')",
    (
        "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN DATE '2026-01-01' ELSE DATE"
        " '2026-02-01' END"
    ),
    (
        "COUNT(*) FROM visits WHERE month = CASE WHEN day > DATE '2026-01-05' THEN DATE"
        " '2026-02-01' END"
    ),
    (
        "COUNT(*) FROM visits WHERE month <= CASE WHEN smoker THEN DATE '2026-01-31' ELSE DATE"
        " '2026-02-01' END"
    ),
    "COUNT(*) FROM visits WHERE month = NULLIF(DATE_TRUNC('month', day), DATE '2026-01-01')",
    "COUNT(*) FROM visits WHERE DATE_TRUNC('month', day) IN (month, DATE '2026-01-05')",
    "COUNT(*) FROM visits WHERE born = DATE_TRUNC('year', day) - INTERVAL 24 MONTH",
    "COUNT(*) FROM visits WHERE born = DATE_TRUNC('month', DATE_TRUNC('year', day))",
    (
        "COUNT(*) FROM (SELECT patient_id, MAX(month) AS m, MIN(DATE_TRUNC('year', day)) AS d"
        " FROM visits GROUP BY 1) t WHERE m = d"
    ),
    (
        "COUNT(*) FROM (SELECT month AS m, until AS u FROM visits UNION ALL SELECT"
        " DATE_TRUNC('year', day), until FROM visits) WHERE m = u"
    ),
    "COUNT(*) FROM visits WHERE month + INTERVAL 1 MONTH > DATE '2026-06-01'",
    "COUNT(*) FROM visits WHERE born + INTERVAL 2 YEAR > DATE '2025-01-01'",
    "AVG(DATE_DIFF('month', month, DATE '2026-12-31')) FROM visits",
    "COUNT(*) FROM visits WHERE day >= '2026-06-15' AND DAY(day) = 3",
    "COUNT(*) FROM labs l JOIN visits v USING (patient_id, month)",
    (
        "COUNT(*) FROM (SELECT patient_id, COUNT(month) AS n FROM visits GROUP BY patient_id)"
        " AS t WHERE n > 3"
    ),
    "MAX(month) AS last FROM visits HAVING last > DATE '2026-06-15'",
]
