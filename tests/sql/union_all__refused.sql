SELECT COUNT(*) FROM (SELECT patient_id FROM visits UNION SELECT patient_id FROM labs)
--> Unsupported: UNION looks for rows that different people share

SELECT COUNT(*) FROM (SELECT patient_id FROM visits EXCEPT SELECT patient_id FROM labs)
--> Unsupported: EXCEPT is not answered

SELECT COUNT(*) FROM (SELECT patient_id FROM visits INTERSECT SELECT patient_id FROM labs)
--> Unsupported: INTERSECT is not answered

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits UNION ALL SELECT patient_id FROM labs)
--> Unsupported: The parts of a UNION ALL have different numbers of columns

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits UNION ALL SELECT visit_age, patient_id FROM labs)
--> Unsupported: The id stands at different places in the parts of this UNION ALL

SELECT COUNT(*) FROM (SELECT patient_id, city FROM visits UNION ALL SELECT patient_id, visit_age FROM labs)
--> Unsupported: city is integer and text in the parts of this UNION ALL

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM regions)
--> Unsupported: Public tables are joined, not put beside protected ones

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM staff)
--> Unsupported: The parts of a UNION ALL are about different people

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM answers)
--> Unsupported: The parts of a UNION ALL are about different people

SELECT COUNT(*) FROM (SELECT patient_id FROM visits UNION ALL SELECT patient_id FROM labs ORDER BY 1)
--> Unsupported: ORDER BY in a subquery picks rows by looking at all of them

SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM labs
--> Unsupported: UNION is not answered

SELECT COUNT(*) FROM (SELECT score FROM answers UNION ALL SELECT score FROM answers WHERE score > 3)
--> Unsupported: The rows of answers would come twice, and every row is somebody of their own

WITH a AS (SELECT score FROM answers) SELECT COUNT(*) FROM (SELECT * FROM a UNION ALL SELECT score + 1 FROM a)
--> Unsupported: The rows of answers would come twice, and every row is somebody of their own
