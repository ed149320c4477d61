SELECT COUNT(*) FROM visits WHERE age = 'old'
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE age = NULL
--> Unsupported: A comparison with NULL is never true

SELECT COUNT(*) FROM visits WHERE day = 'tomorrow'
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE day > '2026-02-30'
--> Unsupported: 2026-02-30 is not a valid date

SELECT COUNT(*) FROM visits WHERE age IN (1, NULL)
--> Unsupported: NULL in an IN list never matches

SELECT COUNT(*) FROM visits WHERE age IN ()
--> Unsupported: IN needs a list of values

SELECT COUNT(*) FROM visits WHERE age IN (SELECT 1)
--> Unsupported: IN (SELECT …) is not supported here: it would show rows of other units

SELECT COUNT(*) FROM visits WHERE age IN ('a')
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE age LIKE '1%'
--> Unsupported: LIKE needs text

SELECT COUNT(*) FROM visits WHERE city LIKE region
--> Unsupported: LIKE needs a literal pattern

SELECT COUNT(*) FROM visits WHERE city LIKE NULL
--> Unsupported: LIKE needs a literal pattern

SELECT COUNT(*) FROM visits WHERE city LIKE 'a!%' ESCAPE '!'
--> Unsupported: LIKE … ESCAPE is not supported

SELECT COUNT(*) FROM visits WHERE age = ANY (1, 2)
--> Unsupported: ANY is not supported

SELECT COUNT(*) FROM visits WHERE (age, age) = (1, 2)
--> Unsupported: Tuples are not supported

SELECT COUNT(*) FROM visits WHERE smoker AND region = 'North'
--> UnsatisfiableCondition: This is never true: region is one of north, south, east, west

SELECT COUNT(*) FROM visits WHERE age BETWEEN 65 AND 18
--> UnsatisfiableCondition: This is never true: the lower bound of age is above the upper bound

SELECT COUNT(*) FROM visits WHERE age > 120
--> UnsatisfiableCondition: This is never true: age lies between 0 and 110

SELECT COUNT(*) FROM visits WHERE month IN ('2025-01-01', '2025-02-01')
--> UnsatisfiableCondition: This is never true: month is one of 2026-01-01, 2026-02-01, 2026-03-01, 2026-04-01, 2026-05-01, 2026-06-01, 2026-07-01, 2026-08-01, 2026-09-01, 2026-10-01, …

SELECT COUNT(*) FROM labs WHERE YEAR(taken) = 2024
--> UnsatisfiableCondition: This is never true: YEAR(taken) is always 2026

SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM labs GROUP BY patient_id) AS t WHERE n < 0
--> UnsatisfiableCondition: This is never true: n is at least 0

SELECT COUNT(*) FROM visits WHERE day >= '2026-01-01 12:00:00'
--> Unsupported: A date has no time of day

SELECT COUNT(*) FROM visits WHERE day BETWEEN '2026-01-01' AND '2026-01-31T23:59:59Z'
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE city LIKE '5\%%'
--> Unsupported: A backslash before % or _ in LIKE is ambiguous: some databases treat it as an escape

SELECT COUNT(*) FROM visits WHERE city NOT LIKE 'a\_b'
--> Unsupported: A backslash before % or _ in LIKE is ambiguous: some databases treat it as an escape

SELECT COUNT(*) FROM visits WHERE city ILIKE region
--> Unsupported: LIKE needs a literal pattern

SELECT COUNT(*) FROM visits WHERE city IS DISTINCT FROM 3
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE day IS DISTINCT FROM 'soon'
--> Unsupported: This is not a date

SELECT COUNT(*) FROM visits WHERE smoker = 2
--> Unsupported: A comparison needs values of one type, but these are boolean and integer

SELECT COUNT(*) FROM visits WHERE age = '8.5'
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE city = 8
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE age = '1e3'
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits WHERE (age, city) IN ((30, 'a'), (40))
--> Unsupported: Tuples are not supported

SELECT COUNT(*) FROM visits WHERE age <> ANY([1, 2])
--> Unsupported: ANY is not supported

SELECT COUNT(*) FROM visits WHERE age = [1, 2]
--> Unsupported: Lists, structs and maps are not supported

SELECT COUNT(*) FROM visits WHERE visits_before[1] = 2
--> Unsupported: Lists, structs and maps are not supported
