SELECT COUNT(*) FROM visits, regions
--> Unsupported: regions is not joined to the other tables

SELECT COUNT(*) FROM visits NATURAL JOIN regions
--> Unsupported: NATURAL JOIN is not supported

SELECT COUNT(*) FROM visits CROSS JOIN regions
--> Unsupported: A cross join combines rows of different units

SELECT COUNT(*) FROM visits LATERAL VIEW EXPLODE(age)
--> Unsupported: LATERAL is not supported

SELECT DISTINCT region FROM visits
--> Unsupported: SELECT DISTINCT returns individual values

SELECT DISTINCT ON (region) COUNT(*) FROM visits
--> Unsupported: SELECT DISTINCT returns individual values

SELECT COUNT(*) FROM visits TABLESAMPLE 10%
--> Unsupported: SAMPLE is not supported

SELECT COUNT(*) FROM visits USING SAMPLE 10
--> Unsupported: SAMPLE is not supported

SELECT COUNT(*) FROM visits PIVOT (SUM(age) FOR region IN ('north'))
--> Unsupported: PIVOT is not supported

SELECT COUNT(*) INTO other FROM visits
--> Unsupported: INTO would write a table

SELECT COUNT(*) FROM visits FOR UPDATE
--> Unsupported: Row locks are not supported

SELECT COUNT(*) FROM a.b.visits
--> Unsupported: Table names take no schema or catalog

SELECT COUNT(*) FROM visits AS v(a, b)
--> Unsupported: FROM cannot rename the columns of a table

SELECT COUNT(*) FROM visits AT (VERSION => 1)
--> Unsupported: Named arguments must come after the other arguments

SELECT COUNT(*) FROM ONLY visits
--> Unsupported: ONLY is not supported

SELECT COUNT(*) FROM visits LIMIT 10%
--> Unsupported: LIMIT takes a number of rows

SELECT COUNT(*) FROM visits LIMIT ALL
--> Unsupported: LIMIT takes a literal number of rows

SELECT COUNT(*) FROM visits LIMIT 1 + 1
--> Unsupported: LIMIT takes a literal number of rows

SELECT COUNT(*) FROM visits LIMIT 99999999999
--> Unsupported: LIMIT takes a literal number of rows

SELECT COUNT(*) FROM visits LIMIT 1.5
--> Unsupported: LIMIT takes a literal number of rows

SELECT COUNT(*) FROM visits OFFSET age
--> Unsupported: OFFSET takes a literal number of rows

SELECT COUNT(*) FROM regions
--> Unsupported: regions is a public table, which has no privacy unit

SELECT COUNT(*) FROM vists
--> Unsupported: There is no table vists

SELECT COUNT(*) FROM nowhere_at_all
--> Unsupported: There is no table nowhere_at_all

SELECT COUNT(*) FROM 'visits.parquet'
--> Unsupported: There is no table visits.parquet

SELECT COUNT(*)
--> Unsupported: FROM is missing

SELECT FROM visits
--> Unsupported: The SELECT list is empty

SELECT COUNT(*) FROM visits FETCH FIRST 5 ROWS WITH TIES
--> Unsupported: LIMIT takes a literal number of rows

SELECT COUNT(*) FROM visits FETCH FIRST 5 PERCENT ROWS ONLY
--> Unsupported: LIMIT takes a literal number of rows
