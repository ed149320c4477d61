SELECT AVG(age) FROM (SELECT patient_id, age FROM visits WHERE smoker) WHERE age > 3
--> where age >= 4 AND smoker
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM (SELECT * FROM visits) AS v WHERE v.age > 3
--> where age >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(double) FROM (SELECT age * 2 AS double FROM (SELECT age FROM visits WHERE age > 1)) WHERE double < 50
--> where 2 * age <= 49 AND age >= 2
--> a0: total of 2 * age from 0 to 220 steps of 1 (integer)
--> sum = a0 (integer)

WITH a AS (SELECT patient_id, age, region FROM visits), b AS (SELECT * FROM a WHERE age > 3) SELECT region, AVG(age) FROM b GROUP BY region
--> where age >= 4
--> k0: region (text, 4 values)
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> region = k0 (text)
--> avg = a0 (real)

WITH a AS (SELECT patient_id, age FROM visits) SELECT COUNT(*), AVG(x.age) FROM a x JOIN a y USING (patient_id) WHERE x.age < y.age
--> join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: age
-->   visits
--> of visits: 1 groups, 5 rows
--> where c0 < p0
--> a0: rows (integer)
--> a1: moments of c0 from 0 to 110 steps of 1 (real)
--> count = a0 (integer)
--> avg = a1 (real)

WITH visits AS (SELECT * FROM labs) SELECT AVG(value) FROM visits
--> a0: moments of value from 0 to 1000 steps of 1/10 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM (WITH a AS (SELECT patient_id FROM labs) SELECT * FROM a)
--> a0: rows (integer)
--> count = a0 (integer)

WITH a AS (SELECT patient_id, age FROM visits) SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) AVG(age) FROM a
--> options: 1, None, None
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(DISTINCT patient_id) FROM (SELECT v.* FROM visits v JOIN regions USING (region) WHERE zone = 'b')
--> join on (c0 = d0) adds (p0: d1)
-->   columns c0: region
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 1 groups, 5 rows
--> where p0 = 'b'
--> a0: units (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM ((SELECT age FROM visits))
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT score AS s FROM answers) WHERE s > 3
--> where score >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(age_2) FROM (SELECT age, age + 1 AS age_2, 'x' AS x, NULL AS n FROM visits)
--> a0: moments of 1 + age from 1 to 111 steps of 1 (real)
--> avg = a0 (real)

SELECT SUM(x), COUNT(DISTINCT patient_id) FROM (SELECT patient_id, age FROM visits) AS v(patient_id, x)
--> a0: total of age from 0 to 110 steps of 1 (integer)
--> a1: units (integer)
--> sum = a0 (integer)
--> count = a1 (integer)

WITH a(x) AS (SELECT age FROM visits) SELECT COUNT(*) FROM a
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id AS pid FROM visits)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) AS v(x)
--> a0: rows (integer)
--> count = a0 (integer)
