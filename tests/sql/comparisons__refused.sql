SELECT COUNT(*) FROM visits WHERE age = 'old'
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE age = NULL
--> Unsupported: Nothing compares with NULL: this never holds

SELECT COUNT(*) FROM visits WHERE day = 'tomorrow'
--> Unsupported: This is no date

SELECT COUNT(*) FROM visits WHERE day > '2026-02-30'
--> Unsupported: There is no day 2026-02-30

SELECT COUNT(*) FROM visits WHERE age IN (1, NULL)
--> Unsupported: NULL in a list never matches

SELECT COUNT(*) FROM visits WHERE age IN ()
--> Unsupported: IN wants a list of values

SELECT COUNT(*) FROM visits WHERE age IN (SELECT 1)
--> Unsupported: IN (SELECT …) would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE age IN ('a')
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE age LIKE '1%'
--> Unsupported: LIKE needs text

SELECT COUNT(*) FROM visits WHERE city LIKE region
--> Unsupported: LIKE compares with a pattern that is written out

SELECT COUNT(*) FROM visits WHERE city LIKE NULL
--> Unsupported: LIKE compares with a pattern that is written out

SELECT COUNT(*) FROM visits WHERE city ILIKE 'a%'
--> Unsupported: ILIKE is not read

SELECT COUNT(*) FROM visits WHERE city LIKE 'a!%' ESCAPE '!'
--> Unsupported: LIKE … ESCAPE is not read

SELECT COUNT(*) FROM visits WHERE city SIMILAR TO 'a'
--> Unsupported: SIMILAR TO is not read

SELECT COUNT(*) FROM visits WHERE city ~ 'a'
--> Unsupported: Regular expressions are not read

SELECT COUNT(*) FROM visits WHERE age IS DISTINCT FROM 3
--> Unsupported: IS DISTINCT FROM is not read

SELECT COUNT(*) FROM visits WHERE age IS NOT DISTINCT FROM 3
--> Unsupported: IS NOT DISTINCT FROM is not read

SELECT COUNT(*) FROM visits WHERE age = ANY (1, 2)
--> Unsupported: ANY is not read

SELECT COUNT(*) FROM visits WHERE (age, age) = (1, 2)
--> Unsupported: Several values in brackets are not read

SELECT COUNT(*) FROM visits WHERE age BETWEEN SYMMETRIC 3 AND 1
--> Unsupported: BETWEEN … SYMMETRIC is not read

SELECT COUNT(*) FROM visits WHERE smoker AND region = 'North'
--> Unsupported: This never holds: region is one of north, south, east, west

SELECT COUNT(*) FROM visits WHERE age BETWEEN 65 AND 18
--> Unsupported: This never holds: age would be at least the one and at most the other, which is less

SELECT COUNT(*) FROM visits WHERE age > 120
--> Unsupported: This never holds: age lies between 0 and 110

SELECT COUNT(*) FROM visits WHERE month IN ('2025-01-01', '2025-02-01')
--> Unsupported: This never holds: month is one of 2026-01-01, 2026-02-01, 2026-03-01, 2026-04-01, 2026-05-01, 2026-06-01, 2026-07-01, 2026-08-01, 2026-09-01, 2026-10-01, …

SELECT COUNT(*) FROM labs WHERE YEAR(taken) = 2024
--> Unsupported: This never holds: YEAR(taken) is always 2026

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM labs GROUP BY patient_id) AS t WHERE n < 0
--> Unsupported: This never holds: n is at least 0

SELECT COUNT(*) FROM visits WHERE day >= '2026-01-01 12:00:00'
--> Unsupported: Times of day are not known: a timestamp is read as its date

SELECT COUNT(*) FROM visits WHERE day BETWEEN '2026-01-01' AND '2026-01-31T23:59:59Z'
--> Unsupported: Times of day are not known: a timestamp is read as its date

SELECT COUNT(*) FROM visits WHERE city LIKE '5\%%'
--> Unsupported: In some databases a backslash takes % and _ their meaning, in others it is a letter

SELECT COUNT(*) FROM visits WHERE city NOT LIKE 'a\_b'
--> Unsupported: In some databases a backslash takes % and _ their meaning, in others it is a letter
