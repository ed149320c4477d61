SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs)
-->
--> join of the same person on () adds ()
-->   columns 
-->   each person: 
-->     columns 
-->     labs
-->   columns 
-->   visits
--> of visits, labs: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM labs)
-->
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   visits
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where p0 IS NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id)
-->
--> join of the same person on () adds ()
-->   columns 
-->   each person: 
-->     columns 
-->     labs
-->   columns 
-->   visits
--> of visits, labs: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits v WHERE NOT EXISTS (SELECT * FROM labs WHERE labs.patient_id = v.patient_id AND value > 3) AND age > 20
-->
--> left join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     where value > 3.0
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where c0 >= 21 AND p0 IS NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE (age > 3 AND patient_id IN (SELECT patient_id FROM labs WHERE value > 3)) AND region = 'north'
-->
--> join of the same person on () adds ()
-->   columns c0: age, c1: region
-->   visits
-->   columns 
-->   each person: 
-->     columns 
-->     where value > 3.0
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where c1 = 'north' AND c0 >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id AND value > age)
--> join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: f0
-->   each person: f0 greatest of c0
-->     columns c0: value
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where c0 < p0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs) OR age > 3
--> left join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     labs
--> of visits, labs: 1 groups, 5 rows
--> where c0 >= 4 OR p0 IS NOT NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs GROUP BY patient_id)
--> join of the same person on () adds ()
-->   columns 
-->   each person: 
-->     columns 
-->     each person: 
-->       columns 
-->       labs
-->   columns 
-->   visits
--> of visits, labs: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE region IN (SELECT region FROM regions)
--> join on (c0 = d1) adds (p0: d0) matches 1
-->   columns c0: region
-->   visits
-->   columns d0: 1, d1: region
-->   regions
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = v.region AND r.zone = 'a')
--> join on (c0 = d1) adds (p0: d0) matches 1
-->   columns c0: region
-->   visits
-->   columns d0: 1, d1: region
-->   where zone = 'a'
-->   regions
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)
