SELECT COUNT(*) FROM visits WHERE TRIM(LTRIM(RTRIM(city))) = 'a'
--> where TRIM(REGEXP_REPLACE(REGEXP_REPLACE(city, ' +$', ''), '^ +', '')) = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT REPLACE(region, 'th', '.') AS r, COUNT(*) FROM visits GROUP BY r
--> k0: REGEXP_REPLACE(region, 'th', '.', 'g') (text, 4 values)
--> a0: rows (integer)
--> r = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE SPLIT_PART(url, '/', 3) = 'x.org'
--> where REGEXP_EXTRACT(url, '^(?:[^/]*/){2}([^/]*)', 1) = 'x.org'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE SUBSTRING_INDEX(url, '.', 1) = 'x'
--> where REGEXP_EXTRACT(url, '^([^\.]*)', 1) = 'x'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT CONCAT_WS('-', region, smoker, age) AS c, COUNT(*) FROM visits WHERE age < 3 GROUP BY c
--> where age <= 2
--> k0: SUBSTRING(COALESCE('-' || region, '') || COALESCE('-' || CAST(smoker AS TEXT), '') || COALESCE('-' || CAST(age AS TEXT), ''), 2, 2147483647) (text, 45 values)
--> a0: rows (integer)
--> c = k0 (text)
--> count = a0 (integer)
