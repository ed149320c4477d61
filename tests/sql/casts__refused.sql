SELECT SUM(CAST(city AS INTEGER)) FROM visits
--> Unbounded: SUM(CAST(city AS INTEGER)) needs bounds: the numbers or dates in a text are not known

SELECT SUM(CAST(NULL AS INTEGER)) FROM visits
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM visits WHERE day > DATE 'soon'
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE city COLLATE nocase = 'a'
--> Unsupported: COLLATE is not supported

SELECT COUNT(*) FROM visits WHERE CAST(Cost AS TEXT) = '3'
--> Unsupported: This CAST is not supported

SELECT SUM(CAST(Cost AS DECIMAL(4, 2))) FROM visits
--> Unsupported: The bounds of this value do not fit DECIMAL(4, 2)

SELECT SUM(CAST(Cost AS DECIMAL(40, 2))) FROM visits
--> Unsupported: DECIMAL takes at most 38 digits, and 12 decimals

SELECT SUM(CAST(Cost AS DECIMAL(10, 20))) FROM visits
--> Unsupported: DECIMAL takes at most 38 digits, and 12 decimals

SELECT SUM(CAST(weight AS DECIMAL(10, 2))) FROM visits
--> Unbounded: CAST(weight AS DECIMAL(10, 2)) needs bounds

SELECT COUNT(*) FROM visits WHERE CAST(city AS BOOLEAN)
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM visits WHERE CAST(city AS DECIMAL(10, 2)) > 3
--> Unsupported: This CAST is not supported

SELECT COUNT(*) FROM visits WHERE CAST('soon' AS TIMESTAMP) > day
--> Unsupported: This is not a timestamp without a zone

SELECT COUNT(*) FROM visits WHERE CAST(age AS BLOB) = 'a'
--> Unsupported: This CAST is not supported
