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
