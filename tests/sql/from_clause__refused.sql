SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY age)
--> Unsupported: ORDER BY in a subquery would choose rows by comparing different units

SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 3)
--> Unsupported: LIMIT in a subquery would choose rows by comparing different units

SELECT COUNT(*) FROM (SELECT * FROM visits OFFSET 3)
--> Unsupported: OFFSET in a subquery would choose rows by comparing different units

SELECT COUNT(*) FROM (SELECT patient_id + 1 FROM visits)
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) WHERE patient_id > 3
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM (SELECT age AS patient_id FROM visits)
--> Unsupported: patient_id is the name of the privacy id

SELECT COUNT(*) FROM (SELECT age FROM visits) v WHERE region = 'north'
--> Unsupported: v has no column region

SELECT COUNT(note) FROM (SELECT * FROM visits)
--> Unsupported: the subquery has no column note

SELECT COUNT(*) FROM (SELECT age FROM visits) v WHERE visits.age > 3
--> Unsupported: visits is not a table of this question

SELECT COUNT(age) FROM (SELECT age, visits_before AS age FROM visits)
--> Unsupported: age is ambiguous: several columns have this name

SELECT COUNT(*) FROM (SELECT region FROM regions)
--> Unsupported: the subquery is a public table, which has no privacy unit

SELECT COUNT(*) FROM (SELECT)
--> Unsupported: The SELECT list is empty

SELECT COUNT(*) FROM (VALUES (1)) AS v
--> Unsupported: VALUES queries no table

WITH a AS (SELECT patient_id FROM visits), a AS (SELECT patient_id FROM labs) SELECT COUNT(*) FROM a
--> Unsupported: Two subqueries are named a

WITH RECURSIVE a AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: WITH RECURSIVE is not supported

WITH a AS (SELECT patient_id FROM b), b AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: There is no table b

WITH a AS (SELECT age FROM visits QUALIFY age > 3) SELECT COUNT(*) FROM a
--> Unsupported: QUALIFY compares rows of different units

SELECT COUNT(*) FROM (SELECT patient_id, ROW_NUMBER() OVER (ORDER BY age) AS r FROM visits)
--> Unsupported: Window functions compare rows of different units

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age) OVER (PARTITION BY region) AS s FROM visits)
--> Unsupported: Window functions compare rows of different units

SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) patient_id FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

WITH a AS (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

SELECT COUNT(*) FROM (SELECT patient_id, DP_INTERVAL_LOW(age) AS l FROM visits)
--> Unsupported: A confidence interval is not allowed inside a subquery

SELECT COUNT(*) FROM (SELECT age FROM visits WHERE age)
--> Unsupported: WHERE needs a condition, but this is integer

SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM visits)
--> Unsupported: STAR … EXCEPT is not supported

SELECT COUNT(*) FROM (visits)
--> Unsupported: Parentheses around tables and joins are not supported

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits) AS v(patient_id)
--> Unsupported: The alias names 1 columns, but there are 2

SELECT COUNT(*) FROM visits AS v(patient_id, age)
--> Unsupported: FROM cannot rename the columns of a table

WITH a AS (SET patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: Syntax error here

SELECT COUNT(*) FROM (WITH a AS (SELECT patient_id FROM labs) FETCH * FROM a)
--> Unsupported: Syntax error here

WITH a AS (DELETE FROM visits) SELECT COUNT(*) FROM visits
--> Unsupported: This is not a subquery

WITH a AS (EXPLAIN SELECT * FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: Syntax error here
