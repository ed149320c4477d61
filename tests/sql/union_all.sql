SELECT AVG(age) FROM (SELECT patient_id, age FROM visits UNION ALL SELECT patient_id, visit_age FROM labs)
--> union
-->   columns u0: age
-->   visits
-->   columns u0: visit_age
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> a0: moments of u0 from 0 to 110 steps of 1 (real)
--> avg = a0 (real)

WITH a AS (SELECT age, Cost AS x FROM visits UNION ALL SELECT visit_age, value FROM labs UNION ALL SELECT visit_age, visit_age FROM labs) SELECT AVG(x), COUNT(*) FROM a WHERE age > 3
--> union
-->   columns u0: Cost, u1: age
-->   visits
-->   columns u0: value, u1: visit_age
-->   labs
-->   columns u0: CAST(visit_age AS DOUBLE), u1: visit_age
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> where u1 >= 4
--> a0: moments of u0 from 0 to 1000000 steps of 1/100 (real)
--> a1: rows (integer)
--> avg = a0 (real)
--> count = a1 (integer)

SELECT COUNT(DISTINCT patient_id) FROM (SELECT patient_id FROM visits UNION ALL SELECT id FROM patients)
--> union
-->   columns 
-->   patients
-->   columns 
-->   visits
--> of visits, patients: 1 groups, 5 rows
--> a0: units (integer)
--> count = a0 (integer)

SELECT COUNT(*), COUNT(day) FROM (SELECT patient_id, day FROM visits UNION ALL SELECT patient_id, NULL FROM labs)
--> union
-->   columns u0: NULL
-->   labs
-->   columns u0: day
-->   visits
--> of visits, labs: 1 groups, 7 rows
--> a0: rows (integer)
--> a1: values of u0 (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT COUNT(*) FROM (SELECT DISTINCT patient_id FROM (SELECT patient_id FROM visits UNION ALL (SELECT patient_id FROM labs)))
--> each person: 
-->   columns 
-->   union
-->     columns 
-->     labs
-->     columns 
-->     visits
--> of visits, labs: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)
