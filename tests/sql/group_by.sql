SELECT region, COUNT(*) FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> count = a0 (integer)

SELECT region AS r, smoker, COUNT(*) FROM visits GROUP BY r, 2
--> k0: region (text, 4 values)
--> k1: smoker (boolean, 2 values)
--> a0: rows (integer)
--> r = k0 (text)
--> smoker = k1 (boolean)
--> count = a0 (integer)

SELECT city, month, COUNT(*) FROM visits GROUP BY ALL
--> k0: city (text, as they occur)
--> k1: month (date, as they occur)
--> a0: rows (integer)
--> city = k0 (text)
--> month = k1 (date)
--> count = a0 (integer)

SELECT COUNT(*), 'x' AS label, region FROM visits GROUP BY ALL
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> count = a0 (integer)
--> label = 'x' (text)
--> region = k0 (text)

SELECT COUNT(*) FROM visits GROUP BY ALL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits GROUP BY region, region, visits.region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT FLOOR(age / 10) * 10 AS decade, age % 2 AS odd, COUNT(*) FROM visits GROUP BY decade, odd
--> k0: 10 * FLOOR(age / 10) (integer, 12 values)
--> k1: age % 2 (integer, 2 values)
--> a0: rows (integer)
--> decade = k0 (integer)
--> odd = k1 (integer)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first

SELECT COALESCE(region, 'none') AS r, COUNT(*) FROM visits GROUP BY r
--> k0: COALESCE(region, 'none') (text, 5 values)
--> a0: rows (integer)
--> r = k0 (text)
--> count = a0 (integer)

SELECT FLOOR(age / 10) AS age, COUNT(*) FROM visits GROUP BY visits.age
--> k0: age (integer, 111 values)
--> a0: rows (integer)
--> age = FLOOR(k0 / 10) (integer)
--> count = a0 (integer)

SELECT FLOOR(LN(GREATEST(age, 1)) * 10) AS bin, COUNT(*) FROM visits GROUP BY bin
--> k0: FLOOR(10 * LN(GREATEST(age, 1))) (integer, 51 values)
--> a0: rows (integer)
--> bin = k0 (integer)
--> count = a0 (integer)

SELECT visits_before, COUNT(*) FROM visits GROUP BY visits_before
--> k0: visits_before (integer, as they occur)
--> a0: rows (integer)
--> visits_before = k0 (integer)
--> count = a0 (integer)

SELECT age, month, region, visits_before > 3, COUNT(*) FROM visits GROUP BY ALL
--> k0: age (integer, 111 values)
--> k1: month (date, 12 values)
--> k2: region (text, 4 values)
--> k3: visits_before >= 4 (boolean, 2 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> month = k1 (date)
--> region = k2 (text)
--> column4 = k3 (boolean)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first
--> order by k3 nulls first

SELECT age, month, region, age + 1 AS next, COUNT(*) FROM visits GROUP BY age, month, region, next
--> k0: age (integer, 111 values)
--> k1: month (date, 12 values)
--> k2: region (text, 4 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> month = k1 (date)
--> region = k2 (text)
--> next = k0 + 1 (integer)
--> count = a0 (integer)

SELECT age, COUNT(*) FROM visits WHERE age BETWEEN 60 AND 63 GROUP BY age
--> where age <= 63 AND age >= 60
--> k0: age (integer, 4 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> count = a0 (integer)

SELECT FLOOR(age / 10) AS decade, COUNT(*) FROM visits WHERE age < 65 AND smoker GROUP BY decade
--> where age <= 64 AND smoker
--> k0: FLOOR(age / 10) (integer, 7 values)
--> a0: rows (integer)
--> decade = k0 (integer)
--> count = a0 (integer)

SELECT region, smoker, COUNT(*) FROM visits WHERE region IN ('north', 'south') AND NOT smoker GROUP BY region, smoker
--> where region IN ('north', 'south') AND NOT smoker
--> k0: region (text, 2 values)
--> k1: smoker (boolean, 1 values)
--> a0: rows (integer)
--> region = k0 (text)
--> smoker = k1 (boolean)
--> count = a0 (integer)

SELECT DATE_TRUNC('month', taken) AS m, COUNT(*) FROM labs WHERE taken >= '2026-03-15' AND taken < '2026-06-01' GROUP BY m
--> where taken < DATE '2026-06-01' AND taken >= DATE '2026-03-15'
--> k0: DATE_TRUNC('month', taken) (date, 3 values)
--> a0: rows (integer)
--> m = k0 (date)
--> count = a0 (integer)

SELECT DATE_TRUNC('month', taken) AS m, COUNT(*) FROM labs WHERE QUARTER(taken) = 2 GROUP BY m
--> where QUARTER(taken) = 2
--> k0: DATE_TRUNC('month', taken) (date, 3 values)
--> a0: rows (integer)
--> m = k0 (date)
--> count = a0 (integer)

SELECT t.kind, COUNT(*) FROM (SELECT patient_id, kind, SUM(value) AS s FROM labs WHERE kind <> 'na' GROUP BY patient_id, kind) AS t GROUP BY t.kind
--> each person, c0: 
-->   columns c0: kind
-->   where kind <> 'na'
-->   labs
--> of labs: 1 groups, 1 rows
--> k0: c0 (text, 1 values)
--> a0: rows (integer)
--> kind = k0 (text)
--> count = a0 (integer)

SELECT age, COUNT(*) FROM visits WHERE age < 5 OR smoker GROUP BY age
--> where age <= 4 OR smoker
--> k0: age (integer, 111 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> count = a0 (integer)

SELECT FLOOR(age / 10) AS age, COUNT(*) FROM visits GROUP BY 1
--> k0: FLOOR(age / 10) (integer, 12 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> count = a0 (integer)

SELECT v.age AS Age, COUNT(*) AS region FROM visits v GROUP BY age
--> k0: age (integer, 111 values)
--> a0: rows (integer)
--> Age = k0 (integer)
--> region = a0 (integer)

SELECT 1, region, COUNT(*) FROM visits GROUP BY 1, region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> column1 = 1 (integer)
--> region = k0 (text)
--> count = a0 (integer)

SELECT 'all' AS kind, COUNT(*) AS n FROM visits GROUP BY kind
--> a0: rows (integer)
--> kind = 'all' (text)
--> n = a0 (integer)

SELECT NULL AS kind, region, COUNT(*) AS n FROM visits GROUP BY kind, 2
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> kind = NULL (integer)
--> region = k0 (text)
--> n = a0 (integer)

SELECT COUNT(*) FROM visits GROUP BY 'x'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT DATE_TRUNC('month', day) AS day, COUNT(*) FROM visits GROUP BY day
--> k0: day (date, as they occur)
--> a0: rows (integer)
--> day = DATE_TRUNC('month', k0) (date)
--> count = a0 (integer)

SELECT region AS city, COUNT(*) AS n, AVG(age) AS age FROM visits WHERE age > 3 GROUP BY region ORDER BY age DESC
--> where age >= 4
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> a1: moments of age from 0 to 110 steps of 1 (real)
--> city = k0 (text)
--> n = a0 (integer)
--> age = a1 (real)
--> order by a1 desc

SELECT UPPER(region) AS region, COUNT(*) FROM visits GROUP BY region HAVING region <> 'x' ORDER BY region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = UPPER(k0) (text)
--> count = a0 (integer)
--> having k0 <> 'x'
--> order by UPPER(k0)

SELECT FLOOR(age / 10) AS age, COUNT(*) FROM visits GROUP BY age
--> k0: age (integer, 111 values)
--> a0: rows (integer)
--> age = FLOOR(k0 / 10) (integer)
--> count = a0 (integer)

SELECT COALESCE(region, 'none') AS Region, COUNT(*) FROM (SELECT region FROM visits) GROUP BY region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> Region = COALESCE(k0, 'none') (text)
--> count = a0 (integer)

SELECT Cost, COUNT(*) FROM visits GROUP BY Cost
--> k0: ROUND(100 * Cost) (integer, as they occur)
--> a0: rows (integer)
--> Cost = k0 / 100 (real)
--> count = a0 (integer)

SELECT ROUND(Cost, 1) AS c, ROUND(Cost, 1) + 1, COUNT(*) FROM visits WHERE Cost < 2 GROUP BY c HAVING c > 0.5 ORDER BY c DESC
--> where Cost < 2.0
--> k0: ROUND(10 * Cost) (integer, as they occur)
--> a0: rows (integer)
--> c = k0 / 10 (real)
--> column2 = k0 / 10 + 1 (real)
--> count = a0 (integer)
--> having k0 / 10 > 0.5
--> order by k0 / 10 desc

SELECT value, COUNT(*) FROM labs GROUP BY value
--> k0: ROUND(10 * value) (integer, as they occur)
--> a0: rows (integer)
--> value = k0 / 10 (real)
--> count = a0 (integer)

SELECT TRUNC(value, 1), CAST(visit_age AS DOUBLE), FLOOR(value / 10) * 2.5, COUNT(*) FROM labs GROUP BY 1, 2, 3
--> k0: CASE WHEN 10 * value < 0.0 THEN CEIL(10 * value) ELSE FLOOR(10 * value) END (integer, as they occur)
--> k1: visit_age (integer, as they occur)
--> k2: FLOOR(value / 10) (integer, as they occur)
--> a0: rows (integer)
--> column1 = k0 / 10 (real)
--> column2 = CAST(k1 AS DOUBLE) (real)
--> column3 = k2 * 2.5 (real)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first

SELECT COUNT(*) FROM visits GROUP BY ()
--> a0: rows (integer)
--> count = a0 (integer)
