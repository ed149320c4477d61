SELECT AVG(age) OVER (PARTITION BY region) FROM visits
--> Unsupported: Window functions look at other people's rows

SELECT COUNT(*) OVER () FROM visits
--> Unsupported: Window functions look at other people's rows

SELECT ROW_NUMBER() OVER (ORDER BY age) FROM visits
--> Unsupported: Window functions look at other people's rows

SELECT SUM(LAG(age) OVER (ORDER BY day)) FROM visits
--> Unsupported: Window functions look at other people's rows

SELECT COUNT(*) FROM visits WINDOW w AS (PARTITION BY region)
--> Unsupported: Window functions look at other people's rows

SELECT COUNT(*) FROM visits QUALIFY COUNT(*) > 1
--> Unsupported: QUALIFY looks at other people's rows
