SELECT FORMAT_DATE('%Y-%m', day) AS m, COUNT(*) FROM visits GROUP BY m
--> k0: SUBSTRING(CAST(DATE_TRUNC('month', day) AS TEXT), 1, 4) || '-' || SUBSTRING(CAST(DATE_TRUNC('month', day) AS TEXT), 6, 2) (text, as they occur)
--> a0: rows (integer)
--> m = k0 (text)
--> count = a0 (integer)

SELECT DAYNAME(day) AS d, COUNT(*) FROM visits GROUP BY d
--> k0: CASE WHEN DAYOFWEEK(day) = 0 THEN 'Sunday' WHEN DAYOFWEEK(day) = 1 THEN 'Monday' WHEN DAYOFWEEK(day) = 2 THEN 'Tuesday' WHEN DAYOFWEEK(day) = 3 THEN 'Wednesday' WHEN DAYOFWEEK(day) = 4 THEN 'Thursday' WHEN DAYOFWEEK(day) = 5 THEN 'Friday' WHEN DAYOFWEEK(day) = 6 THEN 'Saturday' ELSE NULL END (text, 7 values)
--> a0: rows (integer)
--> d = k0 (text)
--> count = a0 (integer)

SELECT STRFTIME(at, '%d.%m. %H') AS d, COUNT(*) FROM calls GROUP BY d
--> k0: SUBSTRING(CAST(DATE_TRUNC('hour', at) AS TEXT), 9, 2) || '.' || SUBSTRING(CAST(DATE_TRUNC('hour', at) AS TEXT), 6, 2) || '. ' || SUBSTRING(CAST(DATE_TRUNC('hour', at) AS TEXT), 12, 2) (text, 744 values)
--> a0: rows (integer)
--> d = k0 (text)
--> count = a0 (integer)

SELECT STRFTIME(at, '%Y-%m') AS d, COUNT(*) FROM calls GROUP BY d
--> k0: SUBSTRING(CAST(DATE_TRUNC('month', CAST(at AS DATE)) AS TEXT), 1, 4) || '-' || SUBSTRING(CAST(DATE_TRUNC('month', CAST(at AS DATE)) AS TEXT), 6, 2) (text, 1 values)
--> a0: rows (integer)
--> d = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE TO_CHAR(at, 'YYYY') = '2026'
--> where SUBSTRING(CAST(DATE_TRUNC('year', CAST(at AS DATE)) AS TEXT), 1, 4) = '2026'
--> a0: rows (integer)
--> count = a0 (integer)
