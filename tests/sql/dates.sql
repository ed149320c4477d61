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

SELECT EXTRACT(HOUR FROM at) AS h, MINUTE(at) AS m, DATE_PART('second', at) AS s, COUNT(*) FROM calls GROUP BY ALL
--> k0: HOUR(at) (integer, 24 values)
--> k1: MINUTE(at) (integer, 60 values)
--> k2: SECOND(at) (integer, 60 values)
--> a0: rows (integer)
--> h = k0 (integer)
--> m = k1 (integer)
--> s = k2 (integer)
--> count = a0 (integer)

SELECT DATE_TRUNC('hour', at), DATE_TRUNC('day', at), DATE_TRUNC('month', at), CAST(at AS DATE), COUNT(*) FROM calls GROUP BY ALL
--> k0: DATE_TRUNC('hour', at) (timestamp, as they occur)
--> k1: CAST(CAST(at AS DATE) AS TIMESTAMP) (timestamp, as they occur)
--> k2: CAST(DATE_TRUNC('month', CAST(at AS DATE)) AS TIMESTAMP) (timestamp, as they occur)
--> k3: CAST(at AS DATE) (date, as they occur)
--> a0: rows (integer)
--> column1 = k0 (timestamp)
--> column2 = k1 (timestamp)
--> column3 = k2 (timestamp)
--> column4 = k3 (date)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first
--> order by k3 nulls first

SELECT DATE_TRUNC('minute', at), COUNT(*) FROM calls WHERE at >= '2026-07-14' AND at < TIMESTAMP '2026-07-14 01:00:00' GROUP BY 1
--> where at < TIMESTAMP '2026-07-14 01:00:00' AND at >= TIMESTAMP '2026-07-14 00:00:00'
--> k0: DATE_TRUNC('minute', at) (timestamp, 60 values)
--> a0: rows (integer)
--> column1 = k0 (timestamp)
--> count = a0 (integer)

SELECT EXTRACT(DOW FROM at), YEAR(at), COUNT(*) FROM calls GROUP BY ALL
--> k0: DAYOFWEEK(CAST(at AS DATE)) (integer, 7 values)
--> k1: YEAR(CAST(at AS DATE)) (integer, 1 values)
--> a0: rows (integer)
--> column1 = k0 (integer)
--> column2 = k1 (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE at > booked AND at >= day AND day < TIMESTAMP '2026-07-14 12:00:00' AND at IN ('2026-07-01', '2026-07-02 10:00:00')
--> where CAST(day AS TIMESTAMP) < TIMESTAMP '2026-07-14 12:00:00' AND at > booked AND at >= CAST(day AS TIMESTAMP) AND at IN (TIMESTAMP '2026-07-01 00:00:00', TIMESTAMP '2026-07-02 10:00:00')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE at + INTERVAL 2 HOUR > booked - INTERVAL '30 days' AND booked + INTERVAL 1 MONTH > day + INTERVAL 90 MINUTE
--> where booked + INTERVAL 1 MONTH > CAST(day AS TIMESTAMP) + INTERVAL 90 MINUTE AND at + INTERVAL 2 HOUR > booked + INTERVAL (-30) DAY
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(LEAST(GREATEST(DATE_DIFF('minute', booked, at), 0), 100)), SUM(DATE_DIFF('hour', at, DATE '2026-08-01')) FROM calls
--> a0: moments of LEAST(GREATEST(DATE_DIFF('minute', booked, at), 0), 100) from 0 to 100 steps of 1 (real)
--> a1: total of DATE_DIFF('hour', at, TIMESTAMP '2026-08-01 00:00:00') from 1 to 744 steps of 1 (integer)
--> avg = a0 (real)
--> sum = a1 (integer)

SELECT COUNT(*) FROM calls WHERE DATE_DIFF('day', booked, at) > 3 AND EXTRACT(EPOCH FROM (at - booked)) > 60
--> where DATE_DIFF('day', CAST(booked AS DATE), CAST(at AS DATE)) >= 4 AND DATE_DIFF('second', booked, at) >= 61
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE day >= CURRENT_DATE - INTERVAL 7 DAY AND at > NOW() - INTERVAL '30 days' AND booked < CURRENT_TIMESTAMP
--> where booked < TIMESTAMP '2026-08-01 00:00:00' AND at > TIMESTAMP '2026-07-02 00:00:00' AND day >= DATE '2026-07-25'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM letters WHERE day < TODAY() AND booked < LOCALTIMESTAMP AND COALESCE(booked, day) > '2026-07-01'
--> where booked < TIMESTAMP '2026-11-30 12:30:00' AND day < DATE '2026-11-30' AND COALESCE(booked, CAST(day AS TIMESTAMP)) > TIMESTAMP '2026-07-01 00:00:00'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE DATE(at) = '2026-07-14' AND GREATEST(at, booked) > '2026-07-01' AND CASE WHEN seconds > 3 THEN at ELSE day END > '2026-07-02'
--> where CAST(at AS DATE) = DATE '2026-07-14' AND CASE WHEN seconds >= 4 THEN at ELSE CAST(day AS TIMESTAMP) END > TIMESTAMP '2026-07-02 00:00:00' AND GREATEST(at, booked) > TIMESTAMP '2026-07-01 00:00:00'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE EXTRACT(isodow FROM day) = 3
--> where (6 + DAYOFWEEK(day)) % 7 + 1 = 3
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE STRFTIME(day, '%Y') = '2026'
--> where SUBSTRING(CAST(DATE_TRUNC('year', day) AS TEXT), 1, 4) = '2026'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE ISODOW(day) = 3
--> where (6 + DAYOFWEEK(day)) % 7 + 1 = 3
--> a0: rows (integer)
--> count = a0 (integer)

SELECT TO_CHAR(day, 'YYYY'), COUNT(*) FROM visits GROUP BY 1
--> k0: SUBSTRING(CAST(DATE_TRUNC('year', day) AS TEXT), 1, 4) (text, as they occur)
--> a0: rows (integer)
--> column1 = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE EXTRACT(EPOCH FROM at) > 3
--> where DATE_DIFF('second', TIMESTAMP '1970-01-01 00:00:00', at) >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT LAST_DAY(taken) AS d, COUNT(*) FROM labs GROUP BY d
--> k0: DATE_TRUNC('month', taken) + INTERVAL 1 MONTH + INTERVAL (-1) DAY (date, as they occur)
--> a0: rows (integer)
--> d = k0 (date)
--> count = a0 (integer)

SELECT EXTRACT(isoyear FROM taken) AS y, EXTRACT(week FROM taken) AS w, EXTRACT(decade FROM taken) AS d, EXTRACT(century FROM taken) AS c, COUNT(*) FROM labs GROUP BY 1, 2, 3, 4
--> k0: YEAR(DATE_TRUNC('week', taken) + INTERVAL 3 DAY) (integer, 1 values)
--> k1: 1 + FLOOR((DAYOFYEAR(DATE_TRUNC('week', taken) + INTERVAL 3 DAY) - 1) / 7) (integer, 53 values)
--> k2: FLOOR(YEAR(taken) / 10) (integer, 1 values)
--> k3: FLOOR((99 + YEAR(taken)) / 100) (integer, 1 values)
--> a0: rows (integer)
--> y = k0 (integer)
--> w = k1 (integer)
--> d = k2 (integer)
--> c = k3 (integer)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first
--> order by k3 nulls first

SELECT AVG(EPOCH(at)) FROM calls
--> a0: moments of DATE_DIFF('second', TIMESTAMP '1970-01-01 00:00:00', at) from 13928625 to 13949550 steps of 128 (real)
--> avg = a0 (real)

SELECT DATE_DIFF('quarter', taken, DATE '2026-12-31') AS q, COUNT(*) FROM labs GROUP BY q
--> k0: (2026 - YEAR(taken)) * 4 + (4 - QUARTER(taken)) (integer, 7 values)
--> a0: rows (integer)
--> q = k0 (integer)
--> count = a0 (integer)

SELECT MAX(at) FROM calls
--> a0: greatest of DATE_DIFF('second', TIMESTAMP '2026-07-01 00:00:00', at) from 0 to 2678399 steps of 1 by exponential (MAX, integer)
--> max = TIMESTAMP '2026-07-01 00:00:00' + INTERVAL (a0 * 1000000) MICROSECOND (timestamp)
