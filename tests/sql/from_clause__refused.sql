SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY age)
--> Unsupported: ORDER BY in a subquery picks rows by looking at all of them

SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 3)
--> Unsupported: LIMIT in a subquery picks rows by looking at all of them

SELECT COUNT(*) FROM (SELECT * FROM visits OFFSET 3)
--> Unsupported: OFFSET in a subquery picks rows by looking at all of them

SELECT COUNT(*) FROM (SELECT patient_id AS pid FROM visits)
--> Unsupported: patient_id says whose rows these are, and cannot be renamed

SELECT COUNT(*) FROM (SELECT patient_id + 1 FROM visits)
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) WHERE patient_id > 3
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM (SELECT age AS patient_id FROM visits)
--> Unsupported: patient_id is the name of the column that says whose rows these are

SELECT COUNT(*) FROM (SELECT age FROM visits) v WHERE region = 'north'
--> Unsupported: v has no column region

SELECT COUNT(note) FROM (SELECT * FROM visits)
--> Unsupported: the subquery has no column note

SELECT COUNT(*) FROM (SELECT age FROM visits) v WHERE visits.age > 3
--> Unsupported: visits is not the table of this question

SELECT COUNT(age) FROM (SELECT age, visits_before AS age FROM visits)
--> Unsupported: age is the name of several columns

SELECT COUNT(*) FROM (SELECT region FROM regions)
--> Unsupported: the subquery is public and protects nobody

SELECT COUNT(*) FROM (SELECT)
--> Unsupported: Nothing is asked for

SELECT COUNT(*) FROM (VALUES (1)) AS v
--> Unsupported: VALUES asks nobody

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) AS v(x)
--> Unsupported: patient_id says whose rows these are, and cannot be renamed

WITH a AS (SELECT patient_id FROM visits), a AS (SELECT patient_id FROM labs) SELECT COUNT(*) FROM a
--> Unsupported: Two subqueries are called a

WITH RECURSIVE a AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: WITH RECURSIVE is not read

WITH a AS (SELECT patient_id FROM b), b AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: There is no table b

WITH a AS (SELECT age FROM visits QUALIFY age > 3) SELECT COUNT(*) FROM a
--> Unsupported: QUALIFY looks at other people's rows

SELECT COUNT(*) FROM (SELECT patient_id, ROW_NUMBER() OVER (ORDER BY age) AS r FROM visits)
--> Unsupported: Window functions look at other people's rows

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age) OVER (PARTITION BY region) AS s FROM visits)
--> Unsupported: Window functions look at other people's rows

SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) patient_id FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

WITH a AS (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

SELECT COUNT(*) FROM (SELECT patient_id, DP_INTERVAL_LOW(age) AS l FROM visits)
--> Unsupported: An interval has no place inside a subquery

SELECT COUNT(*) FROM (SELECT age FROM visits WHERE age)
--> Unsupported: WHERE wants a condition, and this is integer

SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM visits)
--> Unsupported: STAR … EXCEPT is not read

SELECT COUNT(*) FROM (visits)
--> Unsupported: Joins and tables stand here without brackets

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits) AS v(patient_id)
--> Unsupported: There are 2 columns here, and 1 names

SELECT COUNT(*) FROM visits AS v(patient_id, age)
--> Unsupported: FROM does not rename columns

WITH a AS (SET patient_id FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: This does not read as SQL from here on

SELECT COUNT(*) FROM (WITH a AS (SELECT patient_id FROM labs) FETCH * FROM a)
--> Unsupported: This does not read as SQL from here on

WITH a AS (DELETE FROM visits) SELECT COUNT(*) FROM visits
--> Unsupported: This is no subquery

WITH a AS (EXPLAIN SELECT * FROM visits) SELECT COUNT(*) FROM a
--> Unsupported: This does not read as SQL from here on
