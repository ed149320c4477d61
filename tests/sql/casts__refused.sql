SELECT COUNT(*) FROM visits WHERE CAST(age AS VARCHAR) = '3'
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(Cost AS DECIMAL(10, 2))) FROM visits
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(city AS INTEGER)) FROM visits
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(smoker AS INTEGER)) FROM visits
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(NULL AS INTEGER)) FROM visits
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(Cost AS TINYINT)) FROM visits
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM visits WHERE day > DATE 'soon'
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE CAST(city AS DATE) = '2026-01-01'
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM visits WHERE city COLLATE nocase = 'a'
--> Unsupported: COLLATE is not supported

SELECT COUNT(*) FROM visits WHERE day > TIMESTAMP '2026-01-01 00:00:00'
--> Unsupported: Times of day are not supported: a timestamp is read as its date

SELECT COUNT(*) FROM visits WHERE CAST(day AS DATETIME) > '2026-01-01'
--> Unsupported: Times of day are not supported: a timestamp is read as its date

SELECT COUNT(*) FROM visits WHERE day > DATE '2026-01-01T06:00:00'
--> Unsupported: Times of day are not supported: a timestamp is read as its date
