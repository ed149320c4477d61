SELECT COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region)
--> Unsupported: Aggregates of several people are noisy, and noise comes last: here they would be exact

SELECT COUNT(*) FROM (SELECT SUM(age) AS s FROM visits)
--> Unsupported: Aggregates of several people are noisy, and noise comes last: here they would be exact

SELECT COUNT(*) FROM (SELECT age FROM visits HAVING age > 3)
--> Unsupported: Aggregates of several people are noisy, and noise comes last: here they would be exact

SELECT COUNT(*) FROM (SELECT DISTINCT region FROM visits)
--> Unsupported: SELECT DISTINCT looks for rows that different people share

SELECT COUNT(*) FROM (SELECT DISTINCT ON (region) patient_id, region FROM visits)
--> Unsupported: DISTINCT … ON is not read

SELECT COUNT(*) FROM (SELECT DISTINCT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unsupported: DISTINCT and aggregates do not go together here

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits GROUP BY patient_id)
--> Unsupported: age differs among the rows of one person

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id HAVING age > 3)
--> Unsupported: age differs among the rows of one person

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id HAVING COUNT(*))
--> Unsupported: HAVING wants a condition, and this is integer

SELECT SUM(s) FROM (SELECT patient_id, SUM(Cost) AS s FROM visits GROUP BY patient_id)
--> Unbounded: s has no bounds, so one person could move this arbitrarily far

SELECT AVG(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unbounded: n has no bounds, so one person could move this arbitrarily far

SELECT COUNT(*) FROM (SELECT patient_id, SUM(Cost) + 1 AS s FROM visits GROUP BY patient_id)
--> Unbounded: How many rows a person has is not known, so sums and counts of them have no bounds, and arithmetic needs them

SELECT COUNT(*) FROM (SELECT patient_id, SUM(weight) AS s FROM visits GROUP BY patient_id)
--> Unbounded: weight has no bounds, and sums need them

SELECT COUNT(*) FROM (SELECT patient_id, SUM(city) AS s FROM visits GROUP BY patient_id)
--> Unsupported: SUM works on numbers, and this is text

SELECT COUNT(*) FROM (SELECT patient_id, MAX(city) AS s FROM visits GROUP BY patient_id)
--> Unsupported: MAX works on numbers and dates, and this is text

SELECT COUNT(*) FROM (SELECT patient_id, SUM(DISTINCT age) AS s FROM visits GROUP BY patient_id)
--> Unsupported: DISTINCT stands inside COUNT only

SELECT COUNT(*) FROM (SELECT patient_id, MEDIAN(age) AS s FROM visits GROUP BY patient_id)
--> Unsupported: MEDIAN of each person is not read

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age, contribution_bounds_per_group => (0, 3)) AS s FROM visits GROUP BY patient_id)
--> Unsupported: Named arguments are those of the outer aggregates

SELECT COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM regions GROUP BY region)
--> Unsupported: Public tables are not summed up in a subquery

SELECT COUNT(*) FROM (SELECT score, COUNT(*) AS n FROM answers GROUP BY score)
--> Unsupported: Where every row is somebody of their own, there is nothing to put together for each person

SELECT COUNT(*) FROM (SELECT labs.patient_id, COUNT(*) AS n FROM visits LEFT JOIN labs USING (patient_id) GROUP BY labs.patient_id)
--> Unsupported: patient_id may be missing here, behind a LEFT JOIN

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age + COUNT(*)) AS n FROM visits GROUP BY patient_id)
--> Unsupported: COUNT has no place inside an aggregate

SELECT COUNT(*) FROM (SELECT patient_id AS p, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unsupported: patient_id says whose rows these are, and cannot be renamed

SELECT COUNT(*) FROM (SELECT patient_id, SUM(Cost * 1e-300) AS s FROM visits GROUP BY patient_id)
--> Unbounded: The bounds of this are too wide to add it up exactly

SELECT AVG(LEAST(n, 5)) FROM (SELECT patient_id, MONTH(day) AS day, COUNT(*) AS n FROM visits GROUP BY patient_id, day)
--> Unsupported: day is the name of a column and of another output
