SELECT COUNT(*) FROM visits WHERE age = 'old'
--> Unsupported: A comparison needs values of one type, and here are integer and text

SELECT COUNT(*) FROM visits WHERE age = NULL
--> Unsupported: Nothing compares with NULL: this never holds

SELECT COUNT(*) FROM visits WHERE day = 'tomorrow'
--> Unsupported: A comparison needs values of one type, and here are date and text

SELECT COUNT(*) FROM visits WHERE day > '2026-02-30'
--> Unsupported: A comparison needs values of one type, and here are date and text

SELECT COUNT(*) FROM visits WHERE age IN (1, NULL)
--> Unsupported: NULL in a list never matches

SELECT COUNT(*) FROM visits WHERE age IN ()
--> Unsupported: IN wants a list of values

SELECT COUNT(*) FROM visits WHERE age IN (SELECT 1)
--> Unsupported: IN (SELECT …) would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE age IN ('a')
--> Unsupported: A comparison needs values of one type, and here are integer and text

SELECT COUNT(*) FROM visits WHERE age LIKE '1%'
--> Unsupported: LIKE works on text

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
