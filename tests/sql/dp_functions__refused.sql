SELECT region, DP_INTERVAL_LOW(region), COUNT(*) FROM visits GROUP BY region
--> Unsupported: This function takes an aggregate

SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n, 0.9) FROM visits
--> Unsupported: DP_INTERVAL_LOW takes one aggregate

SELECT COUNT(*) AS n, DP_INTERVAL_LOW() FROM visits
--> Unsupported: DP_INTERVAL_LOW takes one aggregate

SELECT COUNT(*) FROM visits WHERE DP_INTERVAL_LOW(age) > 3
--> Unsupported: A confidence interval is not allowed inside WHERE

SELECT COUNT(*) FROM visits GROUP BY DP_INTERVAL_LOW(age)
--> Unsupported: A confidence interval is not allowed inside GROUP BY

SELECT DP_INTERVAL_LOWER(COUNT(*)) FROM visits
--> Unsupported: There is no function DP_INTERVAL_LOWER

SELECT FROBNICATE(age) FROM visits
--> Unsupported: There is no function FROBNICATE

SELECT COUNT(*) FROM visits WHERE error('x') = 1
--> Unsupported: There is no function error

SELECT region, DP_INTERVAL_LOW(region) FROM visits GROUP BY region
--> Unsupported: This function takes an aggregate

SELECT COUNT(*) > 3 AS many, DP_INTERVAL_LOW(many) FROM visits
--> Unsupported: This expression has no interval
