SELECT STRFTIME(day, '%H') AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: This format names no field of a date, or more than a date has

SELECT STRFTIME(day, '%A') AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: The format has '%A', which is not supported

SELECT STRFTIME(day, 'x') AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: This format names no field of a date, or more than a date has

SELECT STRFTIME(day, url) AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: This function takes a literal format

SELECT DATE_FORMAT(day, '%M') AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: The format has '%M', which is not supported

SELECT DATE_FORMAT(day) AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: DATE_FORMAT takes a date and a format

SELECT TO_CHAR(seconds, 'YYYY') AS d, COUNT(*) FROM calls GROUP BY d
--> Unsupported: The start of year needs a date: declare the column with type date in the policy
