SELECT DATE_PART('month', day) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: DATE_PART is no function here

SELECT COUNT(*) FROM visits WHERE day >= DATEADD(day, 10, DATE '2026-03-01')
--> Unsupported: DATEADD is no function here

SELECT COUNT(*) FROM visits WHERE day >= DATE_SUB(DATE '2026-03-11', INTERVAL 10 DAY)
--> Unsupported: DATE_SUB is no function here

SELECT FORMAT_DATE('%Y-%m', day) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: FORMAT_DATE is no function here

SELECT DAYNAME(day) AS d, COUNT(*) FROM visits GROUP BY d
--> Unsupported: This function is not read

SELECT WEEK(day) AS w, COUNT(*) FROM visits GROUP BY w
--> Unsupported: This function is not read

SELECT COUNT(*) FROM visits WHERE CONTAINS(city, 'ber')
--> Unsupported: This function of text is not read

SELECT COUNT(*) FROM visits WHERE POSITION('ber' IN city) > 0
--> Unsupported: This function of text is not read

SELECT REGR_SLOPE(cost, age) FROM visits
--> Unsupported: This function is not read

SELECT APPROX_PERCENTILE(cost, 0.5) FROM visits
--> Unsupported: APPROX_PERCENTILE is no function here

SELECT MEAN(cost) FROM visits
--> Unsupported: MEAN is no function here
