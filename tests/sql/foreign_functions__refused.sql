SELECT COUNT(*) FROM visits WHERE day >= DATEADD(day, 10, DATE '2026-03-01')
--> Unsupported: There is no function DATEADD

SELECT COUNT(*) FROM visits WHERE day >= DATE_SUB(DATE '2026-03-11', INTERVAL 10 DAY)
--> Unsupported: There is no function DATE_SUB

SELECT FORMAT_DATE('%Y-%m', day) AS m, COUNT(*) FROM visits GROUP BY m
--> Unsupported: There is no function FORMAT_DATE

SELECT DAYNAME(day) AS d, COUNT(*) FROM visits GROUP BY d
--> Unsupported: This function is not supported

SELECT WEEK(day) AS w, COUNT(*) FROM visits GROUP BY w
--> Unsupported: This function is not supported
