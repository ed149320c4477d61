SELECT COLUMNS(*) FROM visits
--> Unsupported: COLUMNS(…) is not supported

SELECT * EXCLUDE (age) FROM visits
--> Unsupported: SELECT * returns individual rows

SELECT #1 FROM visits
--> Unsupported: Columns by number are not supported

SELECT (COUNT(*), 1) FROM visits
--> Unsupported: Tuples are not supported

SELECT (SELECT COUNT(*) FROM visits) FROM visits
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE age = ANY (SELECT 1)
--> Unsupported: ANY is not supported

SELECT COUNT(*) FROM visits WHERE age > ALL (SELECT 1)
--> Unsupported: ALL is not supported

SELECT COUNT(*) FROM (VALUES (1))
--> Unsupported: VALUES queries no table

SELECT COUNT(*) FROM UNNEST(age)
--> Unsupported: UNNEST is not supported: it makes several rows of one

SELECT COUNT(*) FROM range(5)
--> Unsupported: Table functions are not supported

SELECT COUNT(*) FROM read_csv('x')
--> Unsupported: Table functions are not supported

SELECT UNNEST(age) FROM visits
--> Unsupported: UNNEST takes the pieces of a text

SELECT COUNT(*) FROM visits WHERE age[1] = 2
--> Unsupported: Lists, structs and maps are not supported

SELECT COUNT(*) FROM visits WHERE {'a': 1} = 2
--> Unsupported: Lists, structs and maps are not supported

SELECT COUNT(*) FROM visits WHERE x -> x + 1
--> Unsupported: Lambdas and JSON paths are not supported

SELECT region, COUNT(*) FROM visits GROUP BY ROLLUP (region)
--> Unsupported: ROLLUP is not supported

SELECT region, COUNT(*) FROM visits GROUP BY CUBE (region)
--> Unsupported: CUBE is not supported

SELECT region, COUNT(*) FROM visits GROUP BY GROUPING SETS ((region), ())
--> Unsupported: GROUPING SETS are not supported

SELECT COUNT(*) FROM visits ORDER BY ALL
--> Unsupported: Unexpected word

SELECT COUNT(*) FROM visits WHERE query('SELECT 1') = 1
--> Unsupported: There is no function query

SELECT AVG(age) OVER (PARTITION BY region) FROM visits
--> Unsupported: Window functions compare rows of different units

SELECT COUNT(*) OVER () FROM visits
--> Unsupported: Window functions compare rows of different units

SELECT ROW_NUMBER() OVER (ORDER BY age) FROM visits
--> Unsupported: Window functions compare rows of different units

SELECT SUM(LAG(age) OVER (ORDER BY day)) FROM visits
--> Unsupported: Window functions compare rows of different units

SELECT COUNT(*) FROM visits WINDOW w AS (PARTITION BY region)
--> Unsupported: Window functions compare rows of different units

SELECT COUNT(*) FROM visits QUALIFY COUNT(*) > 1
--> Unsupported: QUALIFY compares rows of different units
