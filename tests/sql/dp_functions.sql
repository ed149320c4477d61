SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS low, dp_interval_high(N) AS high FROM visits
--> a0: rows (integer)
--> n = a0 (integer)
--> low = a0.low (integer)
--> high = a0.high (integer)

SELECT DP_INTERVAL_LOW(SUM(Cost)), DP_INTERVAL_HIGH(s) - DP_INTERVAL_LOW(s) AS width, SUM(Cost) AS s FROM visits
--> a0: total of Cost from 0 to 1000000 steps of 1/100 (real)
--> column1 = a0.low (real)
--> width = a0.high - a0.low (real)
--> s = a0 (real)

SELECT region, AVG(age) AS age FROM visits GROUP BY region HAVING DP_INTERVAL_LOW(age) > 3 ORDER BY DP_INTERVAL_HIGH((age))
--> k0: region (text, 4 values)
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> region = k0 (text)
--> age = a0 (real)
--> having a0.low > 3
--> order by a0.high

SELECT SUM(age) / COUNT(*) AS m, DP_INTERVAL_LOW(m) AS low, DP_INTERVAL_HIGH(SUM(age) / COUNT(*)) AS high, DP_INTERVAL_LOW(2 * COUNT(*)) AS other FROM visits
--> a0: total of age from 0 to 110 steps of 1 (integer)
--> a1: rows (integer)
--> m = a0 / a1 (real)
--> low = i0.low (real)
--> high = i0.high (real)
--> other = i1.low (real)

SELECT AVG(DISTINCT age) AS m, DP_INTERVAL_HIGH(m) AS high FROM visits
--> a0: distinct of age from 0 to 110 steps of 1 (integer)
--> a1: distinct of age (integer)
--> m = a0 / a1 (real)
--> high = i0.high (real)
