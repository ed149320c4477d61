SELECT SUM(age) / COUNT(*) AS mean, DP_INTERVAL_LOW(mean) FROM visits
--> Unsupported: Intervals are those of aggregates

SELECT region, DP_INTERVAL_LOW(region), COUNT(*) FROM visits GROUP BY region
--> Unsupported: Intervals are those of aggregates

SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n, 0.9) FROM visits
--> Unsupported: DP_INTERVAL_LOW takes one aggregate

SELECT COUNT(*) AS n, DP_INTERVAL_LOW() FROM visits
--> Unsupported: DP_INTERVAL_LOW takes one aggregate

SELECT COUNT(*) FROM visits WHERE DP_INTERVAL_LOW(age) > 3
--> Unsupported: An interval has no place inside WHERE

SELECT COUNT(*) FROM visits GROUP BY DP_INTERVAL_LOW(age)
--> Unsupported: An interval has no place inside GROUP BY

SELECT DP_INTERVAL_LOWER(COUNT(*)) FROM visits
--> Unsupported: DP_INTERVAL_LOWER is no function here

SELECT FROBNICATE(age) FROM visits
--> Unsupported: FROBNICATE is no function here

SELECT COUNT(*) FROM visits WHERE error('x') = 1
--> Unsupported: error is no function here
