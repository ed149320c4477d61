SELECT region, COUNT(*) FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> count = a0 (integer)

SELECT "REGION", V.COST > 3 AS dear, COUNT(*) FROM Visits AS v WHERE (v.AGE) > 3 GROUP BY 1, 2
--> where age >= 4
--> k0: region (text, 4 values)
--> k1: Cost > 3.0 (boolean, 2 values)
--> a0: rows (integer)
--> region = k0 (text)
--> dear = k1 (boolean)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first

SELECT COUNT(*) FROM visits WHERE main.visits.age > 3
--> where age >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM main.visits
--> a0: rows (integer)
--> count = a0 (integer)
