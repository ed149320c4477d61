SELECT COUNT(*) FROM visits v JOIN regions r ON v.region = r.region
--> join on (c0 = d0) adds ()
-->   columns c0: region
-->   visits
-->   columns d0: region
-->   regions
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT zone, SUM(Cost) FROM visits JOIN regions USING (region) GROUP BY zone
--> join on (c1 = d0) adds (p0: d1)
-->   columns c0: Cost, c1: region
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 2 groups, 5 rows
--> k0: p0 (text, 2 values)
--> a0: total of c0 from 0 to 1000000 steps of 1/100 (real)
--> zone = k0 (text)
--> sum = a0 (real)

SELECT zone, region, COUNT(*) FROM regions INNER JOIN visits USING (region) GROUP BY ALL
--> join on (c0 = d0) adds (p0: d1)
-->   columns c0: region
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 3 groups, 5 rows
--> k0: p0 (text, 2 values)
--> k1: c0 (text, 4 values)
--> a0: rows (integer)
--> zone = k0 (text)
--> region = k1 (text)
--> count = a0 (integer)
--> order by k0 nulls first
--> order by k1 nulls first

SELECT AVG(value) FROM visits v JOIN labs l ON v.patient_id = l.patient_id AND v.age = l.visit_age AND value > age
--> join of the same person on (c0 = d1) adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: value, d1: visit_age
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> where c0 < p0
--> a0: moments of p0 from 0 to 1000 steps of 1/10 (real)
--> avg = a0 (real)

SELECT COUNT(DISTINCT patient_id), COUNT(labs.patient_id) FROM visits JOIN labs USING (patient_id)
--> join of the same person on () adds ()
-->   columns 
-->   labs
-->   columns 
-->   visits
--> of visits, labs: 1 groups, 7 rows
--> a0: units (integer)
--> a1: rows (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT sex, COUNT(*) FROM visits, patients p WHERE p.id = visits.patient_id AND (age > 3 AND sex = 'f' OR age < 2) GROUP BY sex
--> join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: sex
-->   patients
--> of visits, patients: 2 groups, 5 rows
--> where c0 <= 1 OR p0 = 'f' AND c0 >= 4
--> k0: p0 (text, 2 values)
--> a0: rows (integer)
--> sex = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM patients p, visits v WHERE (p.id = v.patient_id) AND age > 3
--> join of the same person on () adds ()
-->   columns c0: age
-->   visits
-->   columns 
-->   patients
--> of patients, visits: 1 groups, 5 rows
--> where c0 >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT lines.drug, SUM(amount) FROM lines, drugs, patients, orders WHERE lines.order_id = orders.order_id AND patients.id = orders.patient_id AND drugs.drug = lines.drug AND urgent GROUP BY lines.drug
--> join on (p1 = d0) adds ()
-->   join of the same person on (c0 = d2) adds (p0: d0, p1: d1)
-->     join of the same person on () adds ()
-->       columns c0: order_id, c1: urgent
-->       orders
-->       columns 
-->       patients
-->     columns d0: amount, d1: drug, d2: order_id
-->     lines
-->   columns d0: drug
-->   drugs
--> of lines, orders, patients: 4 groups, 20 rows
--> where c1
--> k0: p1 (text, as they occur)
--> a0: total of p0 from 0 to 20 steps of 1 (integer)
--> drug = k0 (text)
--> sum = a0 (integer)

SELECT lines.drug, SUM(amount * price) FROM lines, drugs, patients, orders WHERE lines.order_id = orders.order_id AND patients.id = orders.patient_id AND drugs.drug = lines.drug AND urgent GROUP BY lines.drug
--> join on (p1 = d0) adds (p2: d1)
-->   join of the same person on (c0 = d2) adds (p0: d0, p1: d1)
-->     join of the same person on () adds ()
-->       columns c0: order_id, c1: urgent
-->       orders
-->       columns 
-->       patients
-->     columns d0: amount, d1: drug, d2: order_id
-->     lines
-->   columns d0: drug, d1: price
-->   drugs
--> of lines, orders, patients: 4 groups, 20 rows
--> where c1
--> k0: p1 (text, as they occur)
--> a0: total of p0 * p2 from 0 to 10000 steps of 1 (real)
--> drug = k0 (text)
--> sum = a0 (real)

SELECT COUNT(*) FROM lines a JOIN lines b USING (order_id) WHERE a.drug < b.drug
--> join of the same person on (c1 = d1) adds (p0: d0)
-->   columns c0: drug, c1: order_id
-->   lines
-->   columns d0: drug, d1: order_id
-->   lines
--> of lines: 1 groups, 20 rows
--> where c0 < p0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(a.age) FROM visits a JOIN visits b ON a.patient_id = b.patient_id AND a.day < b.day
--> join of the same person on () adds (p0: d0)
-->   columns c0: age, c1: day
-->   visits
-->   columns d0: day
-->   visits
--> of visits: 1 groups, 5 rows
--> where c1 < p0
--> a0: values of c0 (integer)
--> count = a0 (integer)

SELECT COUNT(*), COUNT(value), COUNT(DISTINCT visits.patient_id) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id AND kind = 'hb' WHERE visits.age > 3
--> left join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: value
-->   where kind = 'hb'
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> where c0 >= 4
--> a0: rows (integer)
--> a1: values of p0 (integer)
--> a2: units (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)
--> count_3 = a2 (integer)

SELECT zone, COUNT(*) FROM visits LEFT OUTER JOIN regions USING (region) GROUP BY zone
--> left join on (c0 = d0) adds (p0: d1)
-->   columns c0: region
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 2 groups, 5 rows
--> k0: p0 (text, 2 values)
--> a0: rows (integer)
--> zone = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM patients p LEFT JOIN visits v ON p.id = v.patient_id JOIN regions r ON v.region = r.region WHERE zone = 'a'
--> join on (c0 = d0) adds (p0: d1)
-->   columns c0: p0
-->   left join of the same person on () adds (p0: d0)
-->     columns 
-->     patients
-->     columns d0: region
-->     visits
-->   columns d0: region, d1: zone
-->   regions
--> of patients, visits: 1 groups, 5 rows
--> where p0 = 'a'
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM patients p JOIN labs l ON p.id = l.patient_id LEFT JOIN visits v ON p.id = v.patient_id WHERE v.age = l.visit_age
--> left join of the same person on () adds (p0: d0)
-->   columns c0: c0
-->   join of the same person on () adds ()
-->     columns c0: visit_age
-->     labs
-->     columns 
-->     patients
-->   columns d0: age
-->   visits
--> of patients, labs, visits: 1 groups, 7 rows
--> where c0 = p0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT zone, COUNT(*), AVG(score) FROM answers JOIN regions USING (region) GROUP BY zone
--> join on (c0 = d0) adds (p0: d0, p1: d1) matches 1
-->   columns c0: region, c1: score
-->   answers
-->   columns d0: region, d1: zone
-->   regions
--> of answers: 1 groups, 1 rows
--> k0: p1 (text, 2 values)
--> a0: rows (integer)
--> a1: moments of c1 from -5 to 5 steps of 1 (real)
--> zone = k0 (text)
--> count = a0 (integer)
--> avg = a1 (real)

SELECT COUNT(zone) FROM answers LEFT JOIN regions r ON r.region = answers.region
--> left join on (c0 = d0) adds (p0: d0, p1: d1) matches 1
-->   columns c0: region
-->   answers
-->   columns d0: region, d1: zone
-->   regions
--> of answers: 1 groups, 1 rows
--> a0: values of p1 (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits v JOIN (SELECT region, zone FROM regions WHERE zone = 'a') r USING (region)
--> join on (c0 = d0) adds ()
-->   columns c0: region
-->   visits
-->   columns d0: region
-->   where zone = 'a'
-->   regions
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits JOIN drugs ON drug = city AND price = age
--> join on (c0 = d1, c1 = d0) adds ()
-->   columns c0: age, c1: city
-->   visits
-->   columns d0: drug, d1: price
-->   drugs
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM lines, drugs WHERE (lines.drug = drugs.drug AND amount > 3) OR (amount < 2 AND drugs.drug = lines.drug AND price > 5)
--> join on (c1 = d0) adds (p0: d1)
-->   columns c0: amount, c1: drug
-->   lines
-->   columns d0: drug, d1: price
-->   drugs
--> of lines: 1 groups, 20 rows
--> where c0 <= 1 AND c1 = c1 AND p0 > 5.0 OR c1 = c1 AND c0 >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits v JOIN labs l ON (v.patient_id = l.patient_id) WHERE (age > 3 OR value < 5) AND TRUE
--> join of the same person on () adds (p0: d0)
-->   columns c0: age
-->   visits
-->   columns d0: value
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> where p0 < 5.0 OR c0 >= 4
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(b.age) FROM (SELECT patient_id, age, age + 1 AS "b.age", age + 2 AS "b.age_" FROM visits) a JOIN visits b USING (patient_id)
--> join of the same person on () adds ()
-->   columns c0: age
-->   visits
-->   columns 
-->   visits
--> of visits: 1 groups, 5 rows
--> a0: total of c0 from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)

SELECT SUM(visits_before + 1), AVG(visit_age) FROM visits v JOIN labs l ON v.patient_id = l.patient_id AND visits_before = visit_age
--> join of the same person on (c0 = d0) adds ()
-->   columns c0: visit_age
-->   labs
-->   columns d0: visits_before
-->   visits
--> of visits, labs: 1 groups, 7 rows
--> a0: total of 1 + c0 from 1 to 111 steps of 1 (integer)
--> a1: moments of c0 from 0 to 110 steps of 1 (real)
--> sum = a0 (integer)
--> avg = a1 (real)

SELECT visits_before, COUNT(*) FROM visits v LEFT JOIN labs l ON v.patient_id = l.patient_id AND visits_before = visit_age GROUP BY visits_before
--> left join of the same person on (c0 = d0) adds ()
-->   columns c0: visits_before
-->   visits
-->   columns d0: visit_age
-->   labs
--> of visits, labs: 3 groups, 7 rows
--> k0: c0 (integer, as they occur)
--> a0: rows (integer)
--> visits_before = k0 (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits JOIN (SELECT patient_id AS pid, value FROM labs) l ON visits.patient_id = l.pid
--> join of the same person on () adds ()
-->   columns 
-->   labs
-->   columns 
-->   visits
--> of visits, labs: 1 groups, 7 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(DISTINCT labs.patient_id) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   visits
-->   columns d0: 1
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> a0: total of p0 from 1 to 1 steps of 1 within 0 to 1 (integer)
--> count = a0 (integer)
