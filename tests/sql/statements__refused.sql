INSERT INTO visits VALUES (1)
--> Unsupported: INSERT is not supported: tables are read-only

UPDATE visits SET age = 1
--> Unsupported: UPDATE is not supported: tables are read-only

DELETE FROM visits
--> Unsupported: DELETE is not supported: tables are read-only

CREATE TABLE t AS SELECT COUNT(*) FROM visits
--> Unsupported: CREATE is not supported: tables are read-only

DROP TABLE visits
--> Unsupported: DROP is not supported: tables are read-only

COPY visits TO 'x.csv'
--> Unsupported: COPY is not supported: tables are read-only

ATTACH 'x.db'
--> Unsupported: ATTACH is not supported: tables are read-only

PRAGMA database_list
--> Unsupported: PRAGMA is not supported

SET threads = 1
--> Unsupported: SET is not supported

DESCRIBE visits
--> Unsupported: DESCRIBE is not supported

SHOW TABLES
--> Unsupported: SHOW is not supported

SUMMARIZE visits
--> Unsupported: SUMMARIZE would return exact statistics

CALL pragma_version()
--> Unsupported: This is not a SELECT statement

VACUUM
--> Unsupported: VACUUM is not supported: tables are read-only

BEGIN
--> Unsupported: This is not a SELECT statement

USE x
--> Unsupported: This is not a SELECT statement

EXPLAIN SELECT COUNT(*) FROM visits
--> Unsupported: EXPLAIN would show the engine's plan, which depends on the data

EXPLAIN ANALYZE SELECT COUNT(*) FROM visits
--> Unsupported: EXPLAIN would show the engine's plan, which depends on the data

'SELECT'
--> Unsupported: This is not a SELECT statement

SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits
--> Unsupported: Only one statement is allowed at a time

SELECT COUNT(*) FROM visits; DROP TABLE visits
--> Unsupported: Only one statement is allowed at a time

;
--> Unsupported: This is not a SELECT statement

SELECT COUNT(*) FROM visits UNION SELECT COUNT(*) FROM visits
--> Unsupported: UNION is not supported between whole questions

SELECT COUNT(*) FROM visits INTERSECT SELECT COUNT(*) FROM visits
--> Unsupported: INTERSECT is not supported between whole questions

SELECT COUNT(*) FROM visits EXCEPT SELECT COUNT(*) FROM visits
--> Unsupported: EXCEPT is not supported between whole questions

VALUES (1)
--> Unsupported: VALUES queries no table

PIVOT visits ON region USING COUNT(*)
--> Unsupported: PIVOT is not supported

(SELECT COUNT(*) FROM visits)
--> Unsupported: The SELECT is in parentheses

FROM visits
--> Unsupported: SELECT * returns individual rows

TABLE visits
--> Unsupported: SELECT * returns individual rows

WITH x AS (SELECT 1) DELETE FROM visits
--> Unsupported: This is not a SELECT statement

SELCT COUNT(*) FROM visits
--> Unsupported: This is not a SELECT statement

SELECT COUNT(* FROM visits
--> Unsupported: Syntax error here

SELECT COUNT(*) FROM visits WHERE
--> Unsupported: Syntax error here

SELECT COUNT(*) FORM visits WHERE age > 3
--> Unsupported: Syntax error here
