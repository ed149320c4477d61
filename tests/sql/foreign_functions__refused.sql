SELECT COUNT(*) FROM visits WHERE day >= DATEADD(day, 10, DATE '2026-03-01')
--> Unsupported: There is no function DATEADD

SELECT COUNT(*) FROM visits WHERE day >= DATE_SUB(DATE '2026-03-11', INTERVAL 10 DAY)
--> Unsupported: There is no function DATE_SUB
