SELECT COUNT(*) FROM visits WHERE visits.patient_id = 3
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM visits WHERE agee > 3
--> Unsupported: visits has no column agee

SELECT COUNT(*) FROM visits WHERE note = 'x'
--> Unsupported: visits has no column note

SELECT COUNT(*) FROM visits WHERE v.age > 3
--> Unsupported: v is not a table of this question

SELECT COUNT(*) FROM visits v WHERE visits.age > 3
--> Unsupported: visits is not a table of this question

SELECT COUNT(*) FROM visits WHERE a.b.c.d.e > 3
--> Unsupported: Field access is not supported

SELECT * FROM visits
--> Unsupported: SELECT * returns individual rows

SELECT v.* FROM visits v
--> Unsupported: SELECT * returns individual rows

SELECT region, COUNT(*) FROM visits
--> Unsupported: region is neither in GROUP BY nor inside an aggregate

SELECT region, age, COUNT(*) FROM visits GROUP BY region
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT age + 1, COUNT(*) FROM visits GROUP BY FLOOR(age / 10)
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT COUNT(*) FROM other.visits
--> Unsupported: Table names take no schema or catalog
