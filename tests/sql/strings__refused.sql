SELECT COUNT(*) FROM visits WHERE LOWER(age) = 'a'
--> Unsupported: LOWER needs text

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, 0) = 'a'
--> Unsupported: Here a whole number from 1 is written out

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, -2) = 'a'
--> Unsupported: Here a whole number from 1 is written out

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, age, 2) = 'a'
--> Unsupported: Here a whole number from 1 is written out

SELECT COUNT(*) FROM visits WHERE LEFT(city, -1) = 'a'
--> Unsupported: Here a whole number from 0 is written out

SELECT COUNT(*) FROM visits WHERE TRIM('x' FROM city) = 'a'
--> Unsupported: TRIM … EXPRESSION is not read

SELECT COUNT(*) FROM visits WHERE LTRIM(city) = 'a'
--> Unsupported: TRIM … POSITION is not read

SELECT COUNT(*) FROM visits WHERE city || age = 'a'
--> Unsupported: CONCAT needs text

SELECT COUNT(*) FROM visits WHERE CONCAT(city, age) = 'a'
--> Unsupported: CONCAT works on text

SELECT COUNT(*) FROM visits WHERE CONCAT_WS('-', city, region) = 'a'
--> Unsupported: This function of text is not read

SELECT COUNT(*) FROM visits WHERE REPLACE(city, 'a', 'b') = 'a'
--> Unsupported: This function of text is not read

SELECT COUNT(*) FROM visits WHERE REGEXP_REPLACE(city, 'a', 'b') = 'a'
--> Unsupported: This function of text is not read

SELECT COUNT(*) FROM visits WHERE REVERSE(city) = 'a'
--> Unsupported: This function of text is not read

SELECT SUM(LENGTH(city)) FROM visits
--> Unbounded: How long texts are is not known, so one person could move this arbitrarily far

SELECT COUNT(*) FROM visits WHERE STARTS_WITH(age, 'A')
--> Unsupported: STARTS_WITH needs text
