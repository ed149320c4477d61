SELECT AVG(LEAST(GREATEST(s, 0), 500)) FROM (SELECT patient_id, SUM(Cost) AS s FROM visits GROUP BY patient_id)
--> each person: f0 total of c0 from 0 to 1000000 steps of 1/100
-->   columns c0: Cost
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: moments of LEAST(GREATEST(f0, 0), 500) from 0 to 50000 steps of 1/100 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n, MAX(day) AS last FROM visits WHERE smoker GROUP BY patient_id HAVING COUNT(*) > 2 AND AVG(age) > 3) WHERE last > '2025-01-01'
--> each person: f0 greatest of c1, f1 mean of c0 from 0 to 110 steps of 1, f2 rows
-->   columns c0: age, c1: day
-->   where smoker
-->   visits
--> of visits: 1 groups, 1 rows
--> where f0 > DATE '2025-01-01' AND f1 > 3.0 AND f2 >= 3
--> a0: rows (integer)
--> count = a0 (integer)

SELECT n, COUNT(*) FROM (SELECT patient_id, LEAST(COUNT(*), 10) AS n FROM visits GROUP BY 1) GROUP BY n
--> each person: f0 rows
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> k0: LEAST(f0, 10) (integer, 11 values)
--> a0: rows (integer)
--> n = k0 (integer)
--> count = a0 (integer)

SELECT region, AVG(mean) FROM (SELECT patient_id, region, AVG(Cost) AS mean FROM visits GROUP BY patient_id, region) GROUP BY region
--> each person, c1: f0 mean of c0 from 0 to 1000000 steps of 1/100
-->   columns c0: Cost, c1: region
-->   visits
--> of visits: 3 groups, 1 rows
--> k0: c1 (text, 4 values)
--> a0: moments of f0 from 0 to 1280000 steps of 1/128 (real)
--> region = k0 (text)
--> avg = a0 (real)

SELECT AVG(mean) FROM (SELECT patient_id, region, AVG(Cost) AS mean FROM visits GROUP BY ALL)
--> each person, c1: f0 mean of c0 from 0 to 1000000 steps of 1/100
-->   columns c0: Cost, c1: region
-->   visits
--> of visits: 1 groups, 5 rows
--> a0: moments of f0 from 0 to 1280000 steps of 1/128 (real)
--> avg = a0 (real)

SELECT region, COUNT(*) FROM (SELECT DISTINCT patient_id, region, age FROM visits) GROUP BY region, age
--> each person, c0, c1: 
-->   columns c0: age, c1: region
-->   visits
--> of visits: 3 groups, 1 rows
--> k0: c1 (text, 4 values)
--> k1: c0 (integer, 111 values)
--> a0: rows (integer)
--> region = k0 (text)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first

SELECT COUNT(*) FROM (SELECT DISTINCT patient_id FROM visits)
--> each person: 
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id FROM visits GROUP BY patient_id)
--> each person: 
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(x) FROM (SELECT patient_id, LEAST(GREATEST(MAX(age) - MIN(age), 0), 50) AS x, COUNT(DISTINCT region) AS r, COUNT(city) AS c FROM visits GROUP BY patient_id) WHERE r > 1 AND c > 0
--> each person: f0 distinct of c2, f1 greatest of c0, f2 least of c0, f3 values of c1
-->   columns c0: age, c1: city, c2: region
-->   visits
--> of visits: 1 groups, 1 rows
--> where f0 >= 2 AND f3 >= 1
--> a0: moments of LEAST(GREATEST(f1 - f2, 0), 50) from 0 to 50 steps of 1 (real)
--> avg = a0 (real)

SELECT AVG(x) FROM (SELECT patient_id, LEAST(COUNT(*) FILTER (WHERE smoker), 9) AS x, COUNT_IF(age > 3) AS y FROM visits GROUP BY patient_id) WHERE y > 0
--> each person: f0 values of c0, f1 values of c1
-->   columns c0: CASE WHEN age >= 4 THEN 1 ELSE NULL END, c1: CASE WHEN smoker THEN 1 ELSE NULL END
-->   visits
--> of visits: 1 groups, 1 rows
--> where f0 >= 1
--> a0: moments of LEAST(f1, 9) from 0 to 9 steps of 1 (real)
--> avg = a0 (real)

SELECT SUM(s, contribution_bounds_per_group => (0, 500)) FROM (SELECT patient_id, SUM(Cost) AS s FROM visits GROUP BY patient_id)
--> each person: f0 total of c0 from 0 to 1000000 steps of 1/100
-->   columns c0: Cost
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: total of f0 from 0 to 50000 steps of 1/100 within 0 to 50000 (real)
--> sum = a0 (real)

SELECT COUNT(*) FROM (SELECT order_id, SUM(amount) AS a FROM lines GROUP BY order_id) WHERE a > 3
--> each person, c1: f0 total of c0 from 0 to 20 steps of 1
-->   columns c0: amount, c1: order_id
-->   lines
--> of lines: 1 groups, 20 rows
--> where f0 >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT sex, AVG(LEAST(n, 20)) FROM patients p JOIN (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) v ON p.id = v.patient_id GROUP BY sex
--> join of the same person on () adds (p0: d0)
-->   columns c0: f0
-->   each person: f0 rows
-->     columns 
-->     visits
-->   columns d0: sex
-->   patients
--> of patients, visits: 1 groups, 1 rows
--> k0: p0 (text, 2 values)
--> a0: moments of LEAST(c0, 20) from 0 to 20 steps of 1 (real)
--> sex = k0 (text)
--> avg = a0 (real)

SELECT zone, COUNT(*) FROM (SELECT patient_id, region FROM visits GROUP BY patient_id, region) JOIN regions USING (region) GROUP BY zone, region
--> join on (c0 = d0) adds (p0: d1)
-->   columns c0: c0
-->   each person, c0: 
-->     columns c0: region
-->     visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 3 groups, 1 rows
--> k0: p0 (text, 2 values)
--> k1: c0 (text, 4 values)
--> a0: rows (integer)
--> zone = k0 (text)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(patient_id) AS n FROM visits GROUP BY patient_id) a JOIN (SELECT patient_id, MIN(value) AS low FROM labs GROUP BY patient_id) b USING (patient_id) WHERE n > 1 AND low < 3
--> join of the same person on () adds (p0: d0)
-->   columns c0: f0
-->   each person: f0 least of c0
-->     columns c0: value
-->     labs
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     visits
--> of visits, labs: 1 groups, 1 rows
--> where c0 < 3.0 AND p0 >= 2
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits LEFT JOIN (SELECT patient_id, COUNT(*) AS n FROM labs GROUP BY patient_id) l USING (patient_id) WHERE n IS NULL
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   visits
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where p0 IS NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT decade, COUNT(*) FROM (SELECT patient_id, FLOOR(age / 10) AS decade FROM visits GROUP BY patient_id, decade) GROUP BY decade
--> each person, c0: 
-->   columns c0: FLOOR(age / 10)
-->   visits
--> of visits: 3 groups, 1 rows
--> k0: c0 (integer, 12 values)
--> a0: rows (integer)
--> decade = k0 (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id, region, region AS r2 FROM visits GROUP BY patient_id, region, 2) GROUP BY region
--> each person, c0: 
-->   columns c0: region
-->   visits
--> of visits: 3 groups, 1 rows
--> k0: c0 (text, 4 values)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id AS p, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> each person: 
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(LEAST(n, 5)) FROM (SELECT patient_id, MONTH(day) AS day, COUNT(*) AS n FROM visits GROUP BY patient_id, day)
--> each person, c0: f0 rows
-->   columns c0: day
-->   visits
--> of visits: 1 groups, 5 rows
--> a0: moments of LEAST(f0, 5) from 0 to 5 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM (SELECT patient_id, MIN(at) AS first FROM calls GROUP BY patient_id) WHERE first < TIMESTAMP '2026-07-02 00:00:00'
--> each person: f0 least of c0
-->   columns c0: at
-->   calls
--> of calls: 1 groups, 1 rows
--> where f0 < TIMESTAMP '2026-07-02 00:00:00'
--> a0: rows (integer)
--> count = a0 (integer)
