SELECT COUNT(*) FROM visits WHERE DATE_DIFF('week', day, month) > 5
--> Unsupported: DATE_DIFF does not support this part

SELECT COUNT(*) FROM visits WHERE YEAR(age) = 3
--> Unsupported: The year needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE YEAR('soon') = 3
--> Unsupported: The year needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE day > CURRENT_DATE
--> Unsupported: The present is not declared

SELECT COUNT(*) FROM visits WHERE day > NOW()
--> Unsupported: The present is not declared

SELECT AVG(day) FROM visits
--> Unsupported: AVG needs numbers, but this is date

SELECT COUNT(*) FROM visits WHERE day > INTERVAL 3 DAY
--> Unsupported: INTERVAL can only be added to a date or timestamp, or subtracted from one

SELECT COUNT(*) FROM visits WHERE day + INTERVAL 1.5 DAY > month
--> Unsupported: This interval is not supported

SELECT COUNT(*) FROM visits WHERE day + INTERVAL (age) DAY > month
--> Unsupported: This interval is not supported

SELECT COUNT(*) FROM visits WHERE age + INTERVAL 3 DAY > 5
--> Unsupported: The shift of a date needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE day + month > 5
--> Unsupported: This operation is not defined for dates

SELECT COUNT(*) FROM visits WHERE day + 1.5 > month
--> Unsupported: This operation is not defined for dates

SELECT COUNT(*) FROM visits WHERE 3 - day > 5
--> Unsupported: This operation is not defined for dates

SELECT COUNT(*) FROM visits WHERE day * 2 > 5
--> Unsupported: * needs numbers, but this is a date

SELECT COUNT(*) FROM visits WHERE DATE_DIFF('day', age, month) > 5
--> Unsupported: The number of days between needs a date: declare the column with type date in the policy

SELECT COUNT(*) FROM visits WHERE DATE_ADD(day, 3) > month
--> Unsupported: DATE_ADD takes a date and an interval

SELECT AVG(DATE_DIFF('day', day, month)) FROM visits
--> Unbounded: AVG needs bounds, and day has none

SELECT AVG(YEAR(day)) FROM visits
--> Unbounded: AVG needs bounds, and day has none

SELECT AVG(stay) FROM (SELECT patient_id, month - day AS stay FROM visits) AS t
--> Unbounded: AVG needs bounds, and day has none

SELECT SUM(LEAST(month - day, 100)) FROM visits
--> Unbounded: SUM needs bounds, and day has none

SELECT COUNT(*) FROM visits WHERE day = DATE '2025-06-31'
--> Unsupported: 2025-06-31 is not a valid date

SELECT COUNT(*) FROM visits WHERE DATE(age) = '2026-01-01'
--> Unsupported: A date is needed here, but this is integer

SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('day', city) = '2026-01-01'
--> Unsupported: A date is needed here, but this is text

SELECT COUNT(*) FROM visits WHERE DATE('31.1.2026') = day
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE DATE(day, 'UTC') = '2026-01-01'
--> Unsupported: DATE … ZONE is not supported

SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('decade', day) = '2026-01-01'
--> Unsupported: DATE_TRUNC does not support this part

SELECT COUNT(*) FROM visits WHERE DATE_DIFF(month, DATE '2026-01-01', day) > 3
--> Unsupported: This is ambiguous: the word is a date part and a column

SELECT COUNT(*) FROM labs WHERE DATE_DIFF(taken, DATE '2026-01-01', DAY) > 3
--> Unsupported: DATE_DIFF does not support this part

SELECT DATE_TRUNC(day, MONTH) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: This is ambiguous: the word is a date part and a column

SELECT DATE_TRUNC(month, DAY) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: This is ambiguous: the word is a date part and a column

SELECT DATE_TRUNC(day, WEEK) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: This is ambiguous: the word is a date part and a column

SELECT DATE_TRUNC(taken, MONTH) AS m, COUNT(*) FROM labs GROUP BY m
--> Unsupported: DATE_TRUNC does not support this part

SELECT COUNT(*) FROM visits WHERE DATE_DIFF(day, DATE '2026-01-01', YEAR) > 3
--> Unsupported: This is ambiguous: the word is a date part and a column

SELECT COUNT(*) FROM calls WHERE at > '2026-07-14 25:00:00'
--> Unsupported: This is not a timestamp without a zone

SELECT COUNT(*) FROM calls WHERE at > 'soon'
--> Unsupported: This is not a timestamp without a zone

SELECT COUNT(*) FROM calls WHERE at > '2026-07-14T10:00:00Z'
--> Unsupported: This is not a timestamp without a zone

SELECT COUNT(*) FROM calls WHERE day >= '2026-07-14 10:00:00'
--> Unsupported: A date has no time of day

SELECT COUNT(*) FROM calls WHERE at - booked > 3
--> Unsupported: This operation is not defined for timestamps

SELECT COUNT(*) FROM calls WHERE at + 3 > booked
--> Unsupported: This operation is not defined for timestamps

SELECT COUNT(*) FROM calls WHERE HOUR(seconds) = 3
--> Unsupported: The hour needs a timestamp: declare the column with type timestamp in the policy

SELECT COUNT(*) FROM calls WHERE HOUR(url) = 3
--> Unsupported: The hour needs a timestamp: declare the column with type timestamp in the policy

SELECT COUNT(*) FROM calls WHERE DATE_PART('hour') = 3
--> Unsupported: DATE_PART takes a part and a date

SELECT COUNT(*) FROM calls WHERE at::TIMESTAMPTZ > '2026-07-14'
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM calls WHERE at > NOW(3)
--> Unsupported: NOW takes no argument

SELECT COUNT(*) FROM calls WHERE at > CURRENT_TIME
--> Unsupported: The time of day alone is not supported

SELECT COUNT(*) FROM calls WHERE at > TIMESTAMP '2026-02-30 10:00:00'
--> Unsupported: This is not a timestamp without a zone

SELECT COUNT(*) FROM calls WHERE at > '2026-08-14'
--> UnsatisfiableCondition: This is never true: at lies between 2026-07-01 00:00:00 and 2026-07-31 23:59:59.999999

SELECT COUNT(*) FROM calls JOIN letters USING (patient_id) WHERE calls.day < CURRENT_DATE
--> Unsupported: calls and letters have different presents (as_of)

SELECT COUNT(*) FROM calls WHERE patient_id IN (SELECT patient_id FROM letters WHERE day < CURRENT_DATE)
--> Unsupported: The tables of this question have different presents (as_of)

SELECT AVG(at) FROM calls
--> Unsupported: AVG needs numbers, but this is timestamp

SELECT COUNT(*) FROM visits WHERE day < NOW()
--> Unsupported: The present is not declared

SELECT LAST_DAY(day) AS d, COUNT(*) FROM labs_ GROUP BY d
--> Unsupported: There is no table labs_
