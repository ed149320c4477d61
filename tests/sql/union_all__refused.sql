SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits UNION ALL SELECT patient_id FROM labs)
--> Unsupported: The branches of UNION ALL have different numbers of columns

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits UNION ALL SELECT visit_age, patient_id FROM labs)
--> Unsupported: The privacy id is in different positions in the branches of UNION ALL

SELECT COUNT(*) FROM (SELECT patient_id, city FROM visits UNION ALL SELECT patient_id, visit_age FROM labs)
--> Unsupported: city is integer and text in the branches of UNION ALL

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM regions)
--> Unsupported: UNION ALL cannot combine public and protected tables

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM staff)
--> Unsupported: The branches of UNION ALL are about different populations

SELECT COUNT(*) FROM (SELECT region FROM visits UNION ALL SELECT region FROM answers)
--> Unsupported: The branches of UNION ALL are about different populations

SELECT COUNT(*) FROM (SELECT patient_id FROM visits UNION ALL SELECT patient_id FROM labs ORDER BY 1)
--> Unsupported: ORDER BY in a subquery would choose rows by comparing different units

SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM labs
--> Unsupported: UNION is not supported between whole questions

SELECT COUNT(*) FROM (SELECT score FROM answers UNION ALL SELECT score FROM answers WHERE score > 3)
--> Unsupported: The rows of answers would be counted twice, but every row is its own unit

WITH a AS (SELECT score FROM answers) SELECT COUNT(*) FROM (SELECT * FROM a UNION ALL SELECT score + 1 FROM a)
--> Unsupported: The rows of answers would be counted twice, but every row is its own unit
