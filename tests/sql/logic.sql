SELECT COUNT(*) FROM visits WHERE smoker AND age > 3 AND (region = 'north' OR region = 'south' OR NOT smoker)
--> where age >= 4 AND (region IN ('north', 'south') OR NOT smoker) AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IS NULL OR city IS NOT NULL
--> where age IS NULL OR city IS NOT NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE smoker IS TRUE OR (age > 3) IS NOT FALSE OR smoker IS UNKNOWN
--> where COALESCE(smoker, FALSE) OR smoker IS NULL OR NOT COALESCE(age <= 3, FALSE)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE smoker OR NULL
--> where NULL OR smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT region, COUNT(*) > 3 AND COUNT(*) < 30 AS fits FROM visits GROUP BY region HAVING NOT COUNT(*) > 5
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> fits = a0 > 3 AND a0 < 30 (boolean)
--> having NOT a0 > 5
