SELECT YEAR(month), QUARTER(month), MONTH(month), COUNT(*) FROM visits GROUP BY 1, 2, 3
--> k0: YEAR(month) (integer, 1 values)
--> k1: QUARTER(month) (integer, 4 values)
--> k2: MONTH(month) (integer, 12 values)
--> a0: rows (integer)
--> column1 = k0 (integer)
--> column2 = k1 (integer)
--> column3 = k2 (integer)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first

SELECT COUNT(*) FROM visits WHERE DAY(day) = 1 OR DAYOFWEEK(day) = 0 OR DAYOFYEAR(day) > 364 OR DAYOFMONTH(day) = 2
--> where DAYOFWEEK(day) = 0 OR DAYOFYEAR(day) >= 365 OR DAY(day) IN (1, 2)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT EXTRACT(DOW FROM day) AS weekday, AVG(EXTRACT(doy FROM day)), COUNT(*) FROM visits GROUP BY weekday
--> k0: DAYOFWEEK(day) (integer, 7 values)
--> a0: moments of DAYOFYEAR(day) from 1 to 366 steps of 1 (real)
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

SELECT COUNT(*) FROM visits WHERE day > DATE '2026-01-31' - INTERVAL 1 DAY
--> where day > DATE '2026-01-30'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(LEAST(GREATEST(DATE_DIFF('day', day, month), -30), 30)) FROM visits
--> a0: total of LEAST(GREATEST(DATE_DIFF('day', day, month), -30), 30) from -30 to 30 steps of 1 (integer)
--> sum = a0 (integer)

SELECT COUNT(*) FROM visits WHERE day + INTERVAL 3 DAY < '2026-01-01' AND day - INTERVAL '2' WEEKS > '2026-01-01' AND DATE_ADD(day, INTERVAL 1 QUARTER) > month AND month + INTERVAL 1 YEAR > day
--> where day + INTERVAL 3 DAY < DATE '2026-01-01' AND day + INTERVAL (-14) DAY > DATE '2026-01-01' AND day + INTERVAL 3 MONTH > month AND month + INTERVAL 12 MONTH > day
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE day + 3 > month AND 3 + day > month AND day - 3 > month AND day - age > month AND day - DATE '2026-01-01' > 5 AND day - '2026-01-01' < 9
--> where DATE_DIFF('day', DATE '2026-01-01', day) <= 8 AND day + INTERVAL (-3) DAY > month AND day + INTERVAL 3 DAY > month AND day + INTERVAL (-age) DAY > month AND DATE_DIFF('day', DATE '2026-01-01', day) >= 6
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(month - DATE '2026-01-01'), SUM(DATE_DIFF('month', DATE '2026-01-01', month)), SUM(DATE_DIFF('year', DATE '2020-01-01', month)) FROM visits
--> a0: total of DATE_DIFF('day', DATE '2026-01-01', month) from 0 to 334 steps of 1 (integer)
--> a1: total of (YEAR(month) - 2026) * 12 + (MONTH(month) - 1) from -11 to 11 steps of 1 (integer)
--> a2: total of YEAR(month) - 2020 from 6 to 6 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)

SELECT DATE_TRUNC('month', taken + INTERVAL 1 MONTH) AS m, COUNT(*) FROM labs GROUP BY m
--> k0: DATE_TRUNC('month', taken + INTERVAL 1 MONTH) (date, 12 values)
--> a0: rows (integer)
--> m = k0 (date)
--> count = a0 (integer)

SELECT DATE_TRUNC('week', day) AS w, COUNT(*) FROM visits GROUP BY 1
-->
--> k0: DATE_TRUNC('week', day) (date, as they occur)
--> a0: rows (integer)
--> w = k0 (date)
--> count = a0 (integer)

SELECT DATE_TRUNC('day', month) AS m, COUNT(*) FROM visits WHERE DATE(day) >= DATE('2026-03-01') GROUP BY m
--> where day >= DATE '2026-03-01'
--> k0: month (date, 12 values)
--> a0: rows (integer)
--> m = k0 (date)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE DATE_DIFF(day, month, DAY) > 3 AND DATE_DIFF('month', month, day) < 2 AND DATEDIFF(year, month, day) < 2
--> where (YEAR(day) - YEAR(month)) * 12 + (MONTH(day) - MONTH(month)) <= 1 AND YEAR(day) - YEAR(month) <= 1 AND DATE_DIFF('day', month, day) >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE DATE_TRUNC(year, day) = '2026-01-01' AND DATE_TRUNC('month', day) = '2026-03-01' AND DATE_TRUNC(day, day) > '2026-03-01'
--> where DATE_TRUNC('month', day) = DATE '2026-03-01' AND DATE_TRUNC('year', day) = DATE '2026-01-01' AND day > DATE '2026-03-01'
--> a0: rows (integer)
--> count = a0 (integer)
