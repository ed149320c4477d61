SELECT AVG(CAST(age AS DOUBLE)), SUM(CAST(Cost AS INTEGER)), SUM(Cost::BIGINT), AVG(TRY_CAST(age AS REAL)), SUM(age::int) FROM visits
--> a0: moments of CAST(age AS DOUBLE) from 0 to 110 steps of 1 (real)
--> a1: total of ROUND(Cost) from 0 to 10000 steps of 1 (integer)
--> a2: total of age from 0 to 110 steps of 1 (integer)
--> avg = a0 (real)
--> sum = a1 (integer)
--> sum_2 = a1 (integer)
--> avg_2 = a0 (real)
--> sum_3 = a2 (integer)

SELECT COUNT(*) FROM visits WHERE day >= DATE '2026-01-31' AND CAST('2026-02-01' AS DATE) > day AND day::date = '2026-03-01'
--> where day < DATE '2026-02-01' AND day = DATE '2026-03-01' AND day >= DATE '2026-01-31'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT CAST(AVG(age) AS INTEGER) AS mean, CAST(COUNT(*) AS DOUBLE) / 2 AS half FROM visits
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> a1: rows (integer)
--> mean = ROUND(a0) (integer)
--> half = CAST(a1 AS DOUBLE) / 2 (real)
