SELECT COUNT(*) FROM (SELECT patient_id FROM visits INTERSECT SELECT patient_id FROM labs)
--> each person: f0 greatest of c0, f1 least of c0
-->   columns c0: u0
-->   union
-->     columns u0: 0
-->     labs
-->     columns u0: 1
-->     visits
--> of visits, labs: 1 groups, 1 rows
--> where f0 = 1 AND f1 = 0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT patient_id FROM visits EXCEPT SELECT patient_id FROM labs WHERE value > 3)
--> each person: f0 greatest of c0
-->   columns c0: u0
-->   union
-->     columns u0: 0
-->     visits
-->     columns u0: 1
-->     where value > 3.0
-->     labs
--> of visits, labs: 1 groups, 1 rows
--> where f0 <> 1
--> a0: rows (integer)
--> count = a0 (integer)

SELECT age, COUNT(*) FROM (SELECT patient_id, age FROM visits UNION SELECT patient_id, visit_age FROM labs) GROUP BY age
--> each person, c0: 
-->   columns c0: u0
-->   union
-->     columns u0: age
-->     visits
-->     columns u0: visit_age
-->     labs
--> of visits, labs: 3 groups, 1 rows
--> k0: c0 (integer, 111 values)
--> a0: rows (integer)
--> age = k0 (integer)
--> count = a0 (integer)
