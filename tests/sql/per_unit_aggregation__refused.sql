SELECT COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region)
--> Unsupported: This subquery aggregates over several units, which would give exact results before noise is added

SELECT COUNT(*) FROM (SELECT SUM(age) AS s FROM visits)
--> Unsupported: This subquery aggregates over several units, which would give exact results before noise is added

SELECT COUNT(*) FROM (SELECT age FROM visits HAVING age > 3)
--> Unsupported: This subquery aggregates over several units, which would give exact results before noise is added

SELECT COUNT(*) FROM (SELECT DISTINCT region FROM visits)
--> Unsupported: SELECT DISTINCT in a subquery compares rows of different units

SELECT COUNT(*) FROM (SELECT DISTINCT ON (region) patient_id, region FROM visits)
--> Unsupported: DISTINCT … ON is not supported

SELECT COUNT(*) FROM (SELECT DISTINCT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unsupported: DISTINCT cannot be combined with GROUP BY or aggregates

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits GROUP BY patient_id)
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id HAVING age > 3)
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id HAVING COUNT(*))
--> Unsupported: HAVING needs a condition, but this is integer

SELECT SUM(s) FROM (SELECT patient_id, SUM(Cost) AS s FROM visits GROUP BY patient_id)
--> Unbounded: SUM(s) needs bounds

SELECT AVG(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unbounded: AVG(n) needs bounds

SELECT COUNT(*) FROM (SELECT patient_id, SUM(Cost) + 1 AS s FROM visits GROUP BY patient_id)
--> Unbounded: SUM(Cost) + 1 needs bounds: a unit may have any number of rows

SELECT COUNT(*) FROM (SELECT patient_id, SUM(weight) AS s FROM visits GROUP BY patient_id)
--> Unbounded: SUM(weight) needs bounds

SELECT COUNT(*) FROM (SELECT patient_id, SUM(city) AS s FROM visits GROUP BY patient_id)
--> Unsupported: SUM needs numbers, but this is text

SELECT COUNT(*) FROM (SELECT patient_id, MAX(city) AS s FROM visits GROUP BY patient_id)
--> Unsupported: MAX needs numbers or dates, but this is text

SELECT COUNT(*) FROM (SELECT patient_id, SUM(DISTINCT age) AS s FROM visits GROUP BY patient_id)
--> Unsupported: In a subquery, DISTINCT is only allowed in COUNT

SELECT COUNT(*) FROM (SELECT patient_id, MEDIAN(age) AS s FROM visits GROUP BY patient_id)
--> Unsupported: MEDIAN is not supported in a subquery

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age, contribution_bounds_per_group => (0, 3)) AS s FROM visits GROUP BY patient_id)
--> Unsupported: Named arguments are not allowed in a subquery

SELECT COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM regions GROUP BY region)
--> Unsupported: A subquery cannot aggregate a public table

SELECT COUNT(*) FROM (SELECT score, COUNT(*) AS n FROM answers GROUP BY score)
--> Unsupported: Every row of this table is its own unit, so a subquery has nothing to aggregate

SELECT COUNT(*) FROM (SELECT labs.patient_id, COUNT(*) AS n FROM visits LEFT JOIN labs USING (patient_id) GROUP BY labs.patient_id)
--> Unsupported: patient_id may be NULL here because of the LEFT JOIN

SELECT COUNT(*) FROM (SELECT patient_id, SUM(age + COUNT(*)) AS n FROM visits GROUP BY patient_id)
--> Unsupported: COUNT is not allowed inside an aggregate

SELECT COUNT(*) FROM (SELECT patient_id, SUM(Cost * 1e-300) AS s FROM visits GROUP BY patient_id)
--> Unbounded: The bounds are too wide for an exact sum
