SELECT COUNT(*) FROM visits WHERE YEAR(age) = 3
--> Unsupported: The year is taken of a date; declare the column as a date in the policy

SELECT COUNT(*) FROM visits WHERE YEAR('soon') = 3
--> Unsupported: The year is taken of a date; declare the column as a date in the policy

SELECT COUNT(*) FROM visits WHERE EXTRACT(isodow FROM day) = 3
--> Unsupported: EXTRACT does not know this part

SELECT COUNT(*) FROM visits WHERE EXTRACT(hour FROM day) = 3
--> Unsupported: EXTRACT does not know this part

SELECT DATE_TRUNC('week', day), COUNT(*) FROM visits GROUP BY 1
--> Unsupported: DATE_TRUNC does not know this part

SELECT COUNT(*) FROM visits WHERE day > CURRENT_DATE
--> Unsupported: The clock is not read

SELECT COUNT(*) FROM visits WHERE day > NOW()
--> Unsupported: NOW is no function here

SELECT COUNT(*) FROM visits WHERE day > DATE '2026-01-31' - INTERVAL 1 DAY
--> Unsupported: Intervals are not read

SELECT SUM(DATE_DIFF('day', day, month)) FROM visits
--> Unsupported: Differences of dates are not read

SELECT COUNT(*) FROM visits WHERE STRFTIME(day, '%Y') = '2026'
--> Unsupported: Dates as text are not read

SELECT COUNT(*) FROM visits WHERE ISODOW(day) = 3
--> Unsupported: This function is not read

SELECT AVG(day) FROM visits
--> Unsupported: AVG adds numbers, and this is date
