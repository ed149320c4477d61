SELECT COUNT(*) FROM visits WHERE LOWER(city) = 'a'
--> where LOWER(city) = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE city || 'a' = 'ba'
--> where city || 'a' = 'ba'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, 1, 2) = 'ab'
--> where SUBSTRING(city, 1, 2) = 'ab'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE LENGTH(city) = 2
--> where LENGTH(city) = 2
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE UPPER(TRIM(city)) = 'A' AND LEFT(city, 2) = 'ab' AND RIGHT(city, 2) = 'ab' AND SUBSTR(city, 2) = 'b' AND STARTS_WITH(city, 'A')
--> where RIGHT(city, 2) = 'ab' AND SUBSTRING(city, 1, 2) = 'ab' AND SUBSTRING(city, 2, 2147483647) = 'b' AND UPPER(TRIM(city)) = 'A' AND STARTS_WITH(city, 'A')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT UPPER(region) AS r, LENGTH(region) AS l, CONCAT(region, '-', smoker_text) AS c, COUNT(*) FROM (SELECT region, CASE WHEN smoker THEN 'yes' ELSE 'no' END AS smoker_text FROM visits) GROUP BY r, l, c
--> k0: UPPER(region) (text, 4 values)
--> k1: LENGTH(region) (integer, 2 values)
--> k2: COALESCE(region, '') || '-' || COALESCE(CASE WHEN smoker THEN 'yes' ELSE 'no' END, '') (text, 15 values)
--> a0: rows (integer)
--> r = k0 (text)
--> l = k1 (integer)
--> c = k2 (text)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first
--> order by k2 nulls first

SELECT COUNT(*) FROM visits WHERE city || '-' || region = 'x-y' AND CONCAT(city) = ''
--> where COALESCE(city, '') = '' AND city || '-' || region = 'x-y'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city FROM 2 FOR 3) = 'abc' AND LOWER('ABC') = city
--> where city = 'abc' AND SUBSTRING(city, 2, 3) = 'abc'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE CONTAINS(city, 'er') OR ENDS_WITH(city, 'n') OR SUFFIX(city, 'x') OR PREFIX(city, 'B') OR STRLEN(region) > 4
--> where LENGTH(region) >= 5 OR city LIKE '%er%' OR city LIKE '%n' OR city LIKE '%x' OR STARTS_WITH(city, 'B')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE POSITION('ber' IN city) > 0 AND STRPOS(city, 'a') < 3 AND INSTR(region, 'o') = 2
--> where STRPOS(city, 'a') <= 2 AND STRPOS(region, 'o') = 2 AND STRPOS(city, 'ber') >= 1
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE LTRIM(city) = 'a'
--> where REGEXP_REPLACE(city, '^ +', '') = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE city || age = 'a'
--> where city || CAST(age AS TEXT) = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE CONCAT(city, age) = 'a'
--> where COALESCE(city, '') || COALESCE(CAST(age AS TEXT), '') = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE CONCAT_WS('-', city, region) = 'a'
--> where SUBSTRING(COALESCE('-' || city, '') || COALESCE('-' || region, ''), 2, 2147483647) = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE REPLACE(city, 'a', 'b') = 'a'
--> where REGEXP_REPLACE(city, 'a', 'b', 'g') = 'a'
--> a0: rows (integer)
--> count = a0 (integer)
