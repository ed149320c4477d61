SELECT COLUMNS(*) FROM visits
--> Unsupported: COLUMNS(…) is not read

SELECT * EXCLUDE (age) FROM visits
--> Unsupported: * stands for rows, and rows are never shown

SELECT #1 FROM visits
--> Unsupported: Columns by number are not read

SELECT (COUNT(*), 1) FROM visits
--> Unsupported: Several values in brackets are not read

SELECT (SELECT COUNT(*) FROM visits) FROM visits
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE age = ANY (SELECT 1)
--> Unsupported: ANY is not read

SELECT COUNT(*) FROM visits WHERE age > ALL (SELECT 1)
--> Unsupported: ALL is not read

SELECT COUNT(*) FROM (VALUES (1))
--> Unsupported: VALUES asks nobody

SELECT COUNT(*) FROM UNNEST(age)
--> Unsupported: UNNEST makes several rows of one

SELECT COUNT(*) FROM range(5)
--> Unsupported: Functions that make tables are not read

SELECT COUNT(*) FROM read_csv('x')
--> Unsupported: Functions that make tables are not read

SELECT UNNEST(age) FROM visits
--> Unsupported: UNNEST makes several rows of one

SELECT COUNT(*) FROM visits WHERE age[1] = 2
--> Unsupported: Lists, structs and maps are not read

SELECT COUNT(*) FROM visits WHERE {'a': 1} = 2
--> Unsupported: Lists, structs and maps are not read

SELECT COUNT(*) FROM visits WHERE x -> x + 1
--> Unsupported: Lambdas and JSON paths are not read

SELECT COUNT(*) FROM visits WHERE REGEXP_MATCHES(city, 'a')
--> Unsupported: Regular expressions are not read

SELECT region, COUNT(*) FROM visits GROUP BY ROLLUP (region)
--> Unsupported: ROLLUP is not answered

SELECT region, COUNT(*) FROM visits GROUP BY CUBE (region)
--> Unsupported: CUBE is not answered

SELECT region, COUNT(*) FROM visits GROUP BY GROUPING SETS ((region), ())
--> Unsupported: GROUPING SETS are not answered

SELECT COUNT(*) FROM visits ORDER BY ALL
--> Unsupported: This word means nothing here

SELECT COUNT(*) FROM visits WHERE query('SELECT 1') = 1
--> Unsupported: query is no function here
