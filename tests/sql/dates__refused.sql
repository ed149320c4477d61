SELECT COUNT(*) FROM visits WHERE YEAR(age) = 3
--> Unsupported: The year needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE YEAR('soon') = 3
--> Unsupported: The year needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE EXTRACT(isodow FROM day) = 3
--> Unsupported: EXTRACT does not know this part

SELECT COUNT(*) FROM visits WHERE EXTRACT(hour FROM day) = 3
--> Unsupported: EXTRACT does not know this part

SELECT DATE_TRUNC('hour', day), COUNT(*) FROM visits GROUP BY 1
--> Unsupported: DATE_TRUNC does not know this part

SELECT COUNT(*) FROM visits WHERE day > CURRENT_DATE
--> Unsupported: The clock is not read

SELECT COUNT(*) FROM visits WHERE day > NOW()
--> Unsupported: NOW is no function here

SELECT COUNT(*) FROM visits WHERE STRFTIME(day, '%Y') = '2026'
--> Unsupported: Dates as text are not read

SELECT COUNT(*) FROM visits WHERE ISODOW(day) = 3
--> Unsupported: This function is not read

SELECT AVG(day) FROM visits
--> Unsupported: AVG adds numbers, and this is date

SELECT COUNT(*) FROM visits WHERE day > INTERVAL 3 DAY
--> Unsupported: An interval is added to a date, or taken off it

SELECT COUNT(*) FROM visits WHERE day + INTERVAL 3 HOUR > month
--> Unsupported: This interval is not read

SELECT COUNT(*) FROM visits WHERE day + INTERVAL 1.5 DAY > month
--> Unsupported: This interval is not read

SELECT COUNT(*) FROM visits WHERE day + INTERVAL (age) DAY > month
--> Unsupported: This interval is not read

SELECT COUNT(*) FROM visits WHERE age + INTERVAL 3 DAY > 5
--> Unsupported: The shift of a date needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE day + month > 5
--> Unsupported: This is not done with dates

SELECT COUNT(*) FROM visits WHERE day + 1.5 > month
--> Unsupported: This is not done with dates

SELECT COUNT(*) FROM visits WHERE 3 - day > 5
--> Unsupported: This is not done with dates

SELECT COUNT(*) FROM visits WHERE day * 2 > 5
--> Unsupported: * needs numbers, but this is a date

SELECT COUNT(*) FROM visits WHERE DATE_DIFF('week', day, month) > 5
--> Unsupported: DATE_DIFF does not know this part

SELECT COUNT(*) FROM visits WHERE DATE_DIFF('day', age, month) > 5
--> Unsupported: The number of days between needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE DATE_ADD(day, 3) > month
--> Unsupported: DATE_ADD takes a date and an interval

SELECT AVG(DATE_DIFF('day', day, month)) FROM visits
--> Unbounded: day has no bounds, so one person could move this by thousands of years

SELECT AVG(YEAR(day)) FROM visits
--> Unbounded: day has no bounds, so one person could move this by thousands of years

SELECT AVG(stay) FROM (SELECT patient_id, month - day AS stay FROM visits) AS t
--> Unbounded: day has no bounds, so one person could move this by thousands of years

SELECT SUM(LEAST(month - day, 100)) FROM visits
--> Unbounded: day has no bounds, so one person could move this by thousands of years

SELECT TO_CHAR(day, 'YYYY'), COUNT(*) FROM visits GROUP BY 1
--> Unsupported: Dates as text are not read

SELECT COUNT(*) FROM visits WHERE day = DATE '2025-06-31'
--> Unsupported: There is no day 2025-06-31

SELECT COUNT(*) FROM visits WHERE DATE(age) = '2026-01-01'
--> Unsupported: A day is that of a date, and this is integer

SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('day', city) = '2026-01-01'
--> Unsupported: A day is that of a date, and this is text

SELECT COUNT(*) FROM visits WHERE DATE('31.1.2026') = day
--> Unsupported: This is no date

SELECT COUNT(*) FROM visits WHERE DATE(day, 'UTC') = '2026-01-01'
--> Unsupported: DATE … ZONE is not read

SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('decade', day) = '2026-01-01'
--> Unsupported: DATE_TRUNC does not know this part

SELECT COUNT(*) FROM visits WHERE DATE_DIFF(month, DATE '2026-01-01', day) > 3
--> Unsupported: Here a part of dates and a column have one name, and either may be meant

SELECT COUNT(*) FROM labs WHERE DATE_DIFF(taken, DATE '2026-01-01', DAY) > 3
--> Unsupported: DATE_DIFF does not know this part

SELECT DATE_TRUNC(day, MONTH) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: Here a part of dates and a column have one name, and either may be meant

SELECT DATE_TRUNC(month, DAY) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: Here a part of dates and a column have one name, and either may be meant

SELECT DATE_TRUNC(day, WEEK) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: Here a part of dates and a column have one name, and either may be meant

SELECT DATE_TRUNC(taken, MONTH) AS m, COUNT(*) FROM labs GROUP BY m
--> Unsupported: DATE_TRUNC does not know this part

SELECT COUNT(*) FROM visits WHERE DATE_DIFF(day, DATE '2026-01-01', YEAR) > 3
--> Unsupported: Here a part of dates and a column have one name, and either may be meant
