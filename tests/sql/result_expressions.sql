SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING n > 10 AND region <> 'north' ORDER BY n DESC, region LIMIT 2 OFFSET 1
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> n = a0 (integer)
--> having a0 > 10 AND k0 <> 'north'
--> order by a0 desc
--> order by k0
--> limit 2 offset 1

SELECT region, COUNT(*) FROM visits GROUP BY 1 ORDER BY 2 DESC NULLS FIRST, 1 ASC
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> count = a0 (integer)
--> order by a0 desc nulls first
--> order by k0

SELECT region, SUM(Cost) AS cost FROM visits GROUP BY region HAVING cost > 10 AND SUM(cost) < 1000 ORDER BY COST
--> k0: region (text, 4 values)
--> a0: total of Cost from 0 to 1000000 steps of 1/100 (real)
--> region = k0 (text)
--> cost = a0 (real)
--> having a0 > 10 AND a0 < 1000
--> order by a0

SELECT age + 1 AS age, COUNT(*) FROM visits GROUP BY visits.age HAVING age > 5 ORDER BY age
--> k0: age (integer, 111 values)
--> a0: rows (integer)
--> age = k0 + 1 (integer)
--> count = a0 (integer)
--> having k0 > 5
--> order by k0 + 1

SELECT COUNT(*) FROM visits ORDER BY SUM(age) + 1 LIMIT 1
--> a0: rows (integer)
--> a1: total of age from 0 to 110 steps of 1 (integer)
--> count = a0 (integer)
--> order by a1 + 1
--> limit 1 offset 0

SELECT COUNT(*) FROM visits HAVING COUNT(*) > 5 AND AVG(age) > 3
--> a0: rows (integer)
--> a1: moments of age from 0 to 110 steps of 1 (real)
--> count = a0 (integer)
--> having a0 > 5 AND a1 > 3

SELECT FLOOR(age / 10) + 1, COUNT(*) FROM visits GROUP BY FLOOR(age / 10) ORDER BY FLOOR(age / 10)
--> k0: FLOOR(age / 10) (integer, 12 values)
--> a0: rows (integer)
--> column1 = k0 + 1 (integer)
--> count = a0 (integer)
--> order by k0

SELECT COUNT(*) FROM visits LIMIT 5, 10
--> a0: rows (integer)
--> count = a0 (integer)
--> limit 10 offset 5
