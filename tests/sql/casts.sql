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

SELECT CAST(age AS TEXT) AS a, smoker::varchar AS s, COUNT(*) FROM visits WHERE day::text LIKE '2026-01%' AND CAST(city AS VARCHAR) <> '' GROUP BY ALL
--> where city <> '' AND CAST(day AS TEXT) LIKE '2026-01%'
--> k0: CAST(age AS TEXT) (text, 111 values)
--> k1: CAST(smoker AS TEXT) (text, 2 values)
--> a0: rows (integer)
--> a = k0 (text)
--> s = k1 (text)
--> count = a0 (integer)

SELECT SUM(CAST(smoker AS INTEGER)), AVG(CAST(Cost AS DECIMAL(10, 2))), SUM(age::numeric), AVG(TRY_CAST(Cost AS DECIMAL(8))) FROM visits
--> a0: total of CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 ELSE NULL END from 0 to 1 steps of 1 (integer)
--> a1: moments of ROUND(100 * Cost) / 100 from 0 to 1280000 steps of 1/128 (real)
--> a2: total of CAST(age AS DOUBLE) from 0 to 110 steps of 1 (real)
--> a3: moments of ROUND(Cost) from 0 to 10000 steps of 1 (real)
--> sum = a0 (integer)
--> avg = a1 (real)
--> sum_2 = a2 (real)
--> avg_2 = a3 (real)

SELECT ROUND(AVG(age)::numeric, 2) AS mean, CAST(COUNT(*) AS VARCHAR) AS n FROM visits HAVING CAST(COUNT(*) AS DECIMAL(10, 1)) > '3'
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> a1: rows (integer)
--> mean = ROUND(ROUND(a0 * 1000) / 1000 * 100) / 100 (real)
--> n = CAST(a1 AS TEXT) (text)
--> having CAST(a1 AS DOUBLE) > 3.0

SELECT COUNT(*) FROM visits WHERE CAST('8' AS INTEGER) < age AND age::boolean AND CAST('2.5' AS DOUBLE) < Cost AND smoker::boolean
--> where age <> 0 AND Cost > 2.5 AND age >= 9 AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE at::text > '2026-07-14' AND at > CAST('2026-07-02 10:00' AS TIMESTAMP) AND day::timestamp < at AND day > DATE '2026-01-01T06:00:00'
--> where at > TIMESTAMP '2026-07-02 10:00:00' AND at > CAST(day AS TIMESTAMP) AND day > DATE '2026-01-01' AND CAST(at AS TEXT) > '2026-07-14'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE CAST(city AS DATE) = '2026-01-01'
--> where CAST(city AS DATE) = DATE '2026-01-01'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE CAST(city AS INTEGER) > 5 AND TRY_CAST(city AS DOUBLE) < 7.5
--> where CAST(city AS DOUBLE) < 7.5 AND CAST(city AS INTEGER) >= 6
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(LEAST(GREATEST(TRY_CAST(city AS INTEGER), 0), 100)) FROM visits
--> a0: total of LEAST(GREATEST(CAST(city AS INTEGER), 0), 100) from 0 to 100 steps of 1 (integer)
--> sum = a0 (integer)

SELECT YEAR(CAST(city AS DATE)) AS y, COUNT(*) FROM visits WHERE CAST(city AS TIMESTAMP) > day GROUP BY y
--> where CAST(city AS TIMESTAMP) > CAST(day AS TIMESTAMP)
--> k0: YEAR(CAST(city AS DATE)) (integer, as they occur)
--> a0: rows (integer)
--> y = k0 (integer)
--> count = a0 (integer)

SELECT AVG(CAST(LEAST(GREATEST(CAST(city AS DOUBLE), 0), 10) AS DECIMAL(10, 2))) FROM visits
--> a0: moments of ROUND(100 * LEAST(GREATEST(CAST(city AS DOUBLE), 0), 10)) / 100 from 0 to 1310720 steps of 1/131072 (real)
--> avg = a0 (real)
