SELECT YEAR(month), QUARTER(month), MONTH(month), COUNT(*) FROM visits GROUP BY 1, 2, 3
--> k0: YEAR(month) (integer, 1 values)
--> k1: QUARTER(month) (integer, 4 values)
--> k2: MONTH(month) (integer, 12 values)
--> a0: rows (integer)
--> column1 = k0 (integer)
--> column2 = k1 (integer)
--> column3 = k2 (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE DAY(day) = 1 OR DAYOFWEEK(day) = 0 OR DAYOFYEAR(day) > 364 OR DAYOFMONTH(day) = 2
--> where DAYOFWEEK(day) = 0 OR DAYOFYEAR(day) >= 365 OR DAY(day) IN (1, 2)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT EXTRACT(DOW FROM day) AS weekday, AVG(EXTRACT(year FROM day)), COUNT(*) FROM visits GROUP BY weekday
--> k0: DAYOFWEEK(day) (integer, 7 values)
--> a0: mean of YEAR(day) from 1 to 9999 steps of 1 (real)
--> a1: rows (integer)
--> weekday = k0 (integer)
--> avg = a0 (real)
--> count = a1 (integer)

SELECT COUNT(*) FROM visits WHERE EXTRACT(quarter FROM day) = 1 AND EXTRACT(month FROM day) = 1 AND EXTRACT(day FROM day) = 1 AND EXTRACT(doy FROM day) = 1
--> where DAYOFYEAR(day) = 1 AND DAY(day) = 1 AND MONTH(day) = 1 AND QUARTER(day) = 1
--> a0: rows (integer)
--> count = a0 (integer)

SELECT DATE_TRUNC('quarter', month) AS quarter, COUNT(*) FROM visits GROUP BY ALL
--> k0: DATE_TRUNC('quarter', month) (date, 4 values)
--> a0: rows (integer)
--> quarter = k0 (date)
--> count = a0 (integer)

SELECT DATE_TRUNC('month', day), DATE_TRUNC('YEAR', day), COUNT(*) FROM visits GROUP BY ALL
--> k0: DATE_TRUNC('month', day) (date, as they occur)
--> k1: DATE_TRUNC('year', day) (date, as they occur)
--> a0: rows (integer)
--> column1 = k0 (date)
--> column2 = k1 (date)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE YEAR('2026-01-31') = 2026
--> a0: rows (integer)
--> count = a0 (integer)
