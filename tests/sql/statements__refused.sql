INSERT INTO visits VALUES (1)
--> Unsupported: INSERT changes things

UPDATE visits SET age = 1
--> Unsupported: UPDATE changes things

DELETE FROM visits
--> Unsupported: DELETE changes things

CREATE TABLE t AS SELECT COUNT(*) FROM visits
--> Unsupported: CREATE changes things

DROP TABLE visits
--> Unsupported: DROP changes things

COPY visits TO 'x.csv'
--> Unsupported: COPY changes things

ATTACH 'x.db'
--> Unsupported: ATTACH changes things

PRAGMA database_list
--> Unsupported: PRAGMA is no question

SET threads = 1
--> Unsupported: SET is no question

DESCRIBE visits
--> Unsupported: DESCRIBE is no question

SHOW TABLES
--> Unsupported: SHOW is no question

SUMMARIZE visits
--> Unsupported: SUMMARIZE would show the data as they are

CALL pragma_version()
--> Unsupported: This is no question

VACUUM
--> Unsupported: VACUUM changes things

BEGIN
--> Unsupported: This is no question

USE x
--> Unsupported: This is no question

EXPLAIN SELECT COUNT(*) FROM visits
--> Unsupported: EXPLAIN would show how the engine works on the data

EXPLAIN ANALYZE SELECT COUNT(*) FROM visits
--> Unsupported: EXPLAIN would show how the engine works on the data

'SELECT'
--> Unsupported: This is no question

SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits
--> Unsupported: One question at a time

SELECT COUNT(*) FROM visits; DROP TABLE visits
--> Unsupported: One question at a time

;
--> Unsupported: This is no question

SELECT COUNT(*) FROM visits UNION SELECT COUNT(*) FROM visits
--> Unsupported: UNION is not answered

SELECT COUNT(*) FROM visits INTERSECT SELECT COUNT(*) FROM visits
--> Unsupported: INTERSECT is not answered

SELECT COUNT(*) FROM visits EXCEPT SELECT COUNT(*) FROM visits
--> Unsupported: EXCEPT is not answered

VALUES (1)
--> Unsupported: VALUES asks nobody

PIVOT visits ON region USING COUNT(*)
--> Unsupported: PIVOT is not answered

(SELECT COUNT(*) FROM visits)
--> Unsupported: The question stands in brackets

FROM visits
--> Unsupported: * stands for rows, and rows are never shown

TABLE visits
--> Unsupported: * stands for rows, and rows are never shown

WITH x AS (SELECT 1) DELETE FROM visits
--> Unsupported: This is no question

SELCT COUNT(*) FROM visits
--> Unsupported: This is no question

SELECT COUNT(* FROM visits
--> Unsupported: This does not read as SQL from here on

SELECT COUNT(*) FROM visits WHERE
--> Unsupported: This does not read as SQL from here on

SELECT COUNT(*) FORM visits WHERE age > 3
--> Unsupported: This does not read as SQL from here on
