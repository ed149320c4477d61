SELECT COUNT(*) FROM visits WHERE age = 8 AND age <> 2 AND age != 3 AND age < 14 AND age <= 15 AND age > 6 AND age >= 7
--> where age <= 13 AND age <= 15 AND age = 8 AND age >= 7 AND age NOT IN (2, 3)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age BETWEEN 18 AND 30 AND age NOT BETWEEN 20 AND 25
--> where age <= 30 AND age >= 18 AND (age <= 19 OR age >= 26)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE region IN ('north', 'south') AND age NOT IN (1, 2, 3) AND age IN (4)
--> where age = 4 AND region IN ('north', 'south') AND age NOT IN (1, 2, 3)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IN (weight, 3)
--> where age = 3 OR age = weight
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE city LIKE 'A%' AND city NOT LIKE '_b' AND NOT city LIKE 'c'
--> where city <> 'c' AND city LIKE 'A%' AND city NOT LIKE '_b'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE day = '2026-01-31' AND day IN ('2026-02-01', '2026-02-02') AND day BETWEEN '2026-01-01' AND '2026-12-31'
--> where day <= DATE '2026-12-31' AND day = DATE '2026-01-31' AND day >= DATE '2026-01-01' AND day IN (DATE '2026-02-01', DATE '2026-02-02')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age < Cost AND 'north' = region
--> where region = 'north' AND Cost > age
--> a0: rows (integer)
--> count = a0 (integer)

SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING n BETWEEN 10 AND 20 OR n IN (1, 2) OR region LIKE 'n%'
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> region = k0 (text)
--> n = a0 (integer)
--> having a0 >= 10 AND a0 <= 20 OR a0 IN (1, 2) OR k0 LIKE 'n%'

SELECT COUNT(*) FROM visits WHERE city ILIKE 'Be%' AND region NOT ILIKE 'SOUTH'
--> where LOWER(region) <> 'south' AND LOWER(city) LIKE 'be%'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age BETWEEN SYMMETRIC 60 AND 20
--> where age <= 60 AND age >= 20
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IS DISTINCT FROM 3 AND city IS NOT DISTINCT FROM region
--> where COALESCE(city = region, city IS NULL AND region IS NULL) AND NOT COALESCE(age = 3, FALSE)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IS NOT DISTINCT FROM NULL AND NULL IS DISTINCT FROM city AND day IS DISTINCT FROM '2026-01-31'
--> where age IS NULL AND NOT COALESCE(day = DATE '2026-01-31', FALSE) AND city IS NOT NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE city ILIKE 'a%'
--> where LOWER(city) LIKE 'a%'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IS NOT DISTINCT FROM 3
--> where COALESCE(age = 3, FALSE)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age BETWEEN SYMMETRIC 3 AND 1
--> where age <= 3 AND age >= 1
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age >= '8' AND '3.5' < Cost AND smoker = 1 AND smoker <> 'false' AND age BETWEEN '3' AND '50'
--> where age <= 50 AND Cost > 3.5 AND age >= 3 AND age >= 8 AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE smoker IN (1, 'TRUE') AND age IN ('8', 9)
--> where age IN (8, 9) AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age IN [30, 40] AND city = ANY(['a', 'b']) AND LIST_CONTAINS([1, -2], visits_before)
--> where age IN (30, 40) AND city IN ('a', 'b') AND visits_before IN (-2, 1)
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE (age, city) IN ((30, 'a'), (40, 'b'))
--> where age = 30 AND city = 'a' OR age = 40 AND city = 'b'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE age = TRUE
--> where age = 1
--> a0: rows (integer)
--> count = a0 (integer)
