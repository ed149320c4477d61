SELECT COUNT(*) FROM visits, regions
--> Unsupported: Nothing joins regions to the others

SELECT COUNT(*) FROM visits NATURAL JOIN regions
--> Unsupported: NATURAL JOIN is not read

SELECT COUNT(*) FROM visits CROSS JOIN regions
--> Unsupported: A cross join puts rows of different people side by side

SELECT COUNT(*) FROM visits LATERAL VIEW EXPLODE(age)
--> Unsupported: LATERAL is not answered

SELECT DISTINCT region FROM visits
--> Unsupported: SELECT DISTINCT shows values as they are

SELECT DISTINCT ON (region) COUNT(*) FROM visits
--> Unsupported: SELECT DISTINCT shows values as they are

SELECT COUNT(*) FROM visits TABLESAMPLE 10%
--> Unsupported: SAMPLE is not answered

SELECT COUNT(*) FROM visits USING SAMPLE 10
--> Unsupported: SAMPLE is not answered

SELECT COUNT(*) FROM visits PIVOT (SUM(age) FOR region IN ('north'))
--> Unsupported: PIVOT is not answered

SELECT COUNT(*) INTO other FROM visits
--> Unsupported: INTO writes

SELECT COUNT(*) FROM visits FOR UPDATE
--> Unsupported: Locks are not taken

SELECT COUNT(*) FROM main.visits
--> Unsupported: Tables have no schema here

SELECT COUNT(*) FROM a.b.visits
--> Unsupported: Tables have no schema here

SELECT COUNT(*) FROM visits AS v(a, b)
--> Unsupported: FROM does not rename columns

SELECT COUNT(*) FROM visits AT (VERSION => 1)
--> Unsupported: Named arguments come after the others

SELECT COUNT(*) FROM ONLY visits
--> Unsupported: ONLY is not read

SELECT COUNT(*) FROM visits LIMIT 10%
--> Unsupported: LIMIT takes a number of rows

SELECT COUNT(*) FROM visits LIMIT ALL
--> Unsupported: LIMIT takes a number of rows that is written out

SELECT COUNT(*) FROM visits LIMIT 1 + 1
--> Unsupported: LIMIT takes a number of rows that is written out

SELECT COUNT(*) FROM visits LIMIT 99999999999
--> Unsupported: LIMIT takes a number of rows that is written out

SELECT COUNT(*) FROM visits LIMIT 1.5
--> Unsupported: LIMIT takes a number of rows that is written out

SELECT COUNT(*) FROM visits FETCH FIRST 5 ROWS ONLY
--> Unsupported: LIMIT takes a number of rows that is written out

SELECT COUNT(*) FROM visits OFFSET age
--> Unsupported: OFFSET takes a number of rows that is written out

SELECT COUNT(*) FROM regions
--> Unsupported: regions is public and protects nobody

SELECT COUNT(*) FROM vists
--> Unsupported: There is no table vists

SELECT COUNT(*) FROM nowhere_at_all
--> Unsupported: There is no table nowhere_at_all

SELECT COUNT(*) FROM 'visits.parquet'
--> Unsupported: There is no table visits.parquet

SELECT COUNT(*)
--> Unsupported: This asks no table

SELECT FROM visits
--> Unsupported: Nothing is asked for
