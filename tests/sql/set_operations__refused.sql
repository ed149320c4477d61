SELECT COUNT(*) FROM (SELECT age FROM visits INTERSECT SELECT visit_age FROM labs)
--> Unsupported: INTERSECT without the privacy id compares rows of different units

SELECT COUNT(*) FROM (SELECT age FROM visits UNION SELECT visit_age FROM labs)
--> Unsupported: UNION without the privacy id compares rows of different units

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits EXCEPT SELECT visit_age, patient_id FROM labs)
--> Unsupported: The privacy id is in different positions in the branches of EXCEPT

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits EXCEPT SELECT patient_id FROM labs)
--> Unsupported: The branches of EXCEPT have different numbers of columns

SELECT COUNT(*) FROM (SELECT patient_id, city FROM visits EXCEPT SELECT patient_id, value FROM labs)
--> Unsupported: city is real and text in the branches of EXCEPT

SELECT COUNT(*) FROM (SELECT patient_id, region FROM visits EXCEPT SELECT patient_id, region FROM staff)
--> Unsupported: The branches of EXCEPT are about different populations

SELECT COUNT(*) FROM (SELECT region FROM visits EXCEPT SELECT region FROM regions)
--> Unsupported: EXCEPT cannot combine public and protected tables

SELECT COUNT(*) FROM (SELECT region FROM answers EXCEPT SELECT region FROM answers)
--> Unsupported: Every row of this table is its own unit, so EXCEPT has nothing to compare

SELECT COUNT(*) FROM (SELECT patient_id, age FROM visits INTERSECT ALL SELECT patient_id, visit_age FROM labs)
--> Unsupported: INTERSECT ALL counts how often a row occurs, which is not supported

SELECT COUNT(*) FROM (SELECT patient_id FROM visits EXCEPT ALL SELECT patient_id FROM labs GROUP BY patient_id)
--> Unsupported: EXCEPT ALL counts how often a row occurs, which is not supported

SELECT COUNT(*) FROM (SELECT patient_id FROM visits INTERSECT SELECT patient_id FROM labs LIMIT 3)
--> Unsupported: LIMIT in a subquery would choose rows by comparing different units

SELECT patient_id FROM visits INTERSECT SELECT patient_id FROM labs
--> Unsupported: INTERSECT is not supported between whole questions
