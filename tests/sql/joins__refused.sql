SELECT COUNT(*) FROM visits, regions
--> Unsupported: regions is not joined to the other tables

SELECT COUNT(*) FROM visits CROSS JOIN regions
--> Unsupported: A cross join combines rows of different units

SELECT COUNT(*) FROM visits JOIN regions ON age > 3
--> Unsupported: regions is not joined to the other tables

SELECT COUNT(*) FROM visits a, visits b
--> Unsupported: visits is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM visits a, visits b WHERE a.age = b.age
--> Unsupported: visits is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.age
--> Unsupported: patient_id is the privacy id. It can only be compared with the privacy id of another table

SELECT COUNT(*) FROM visits a JOIN regions b ON a.patient_id = b.region
--> Unsupported: patient_id is the privacy id. It can only be compared with the privacy id of another table

SELECT COUNT(*) FROM visits a JOIN visits a USING (patient_id)
--> Unsupported: Two tables are named a

SELECT COUNT(*) FROM visits JOIN staff USING (patient_id)
--> Unsupported: staff and visits are about different populations, and no column of one holds the id of the other

SELECT COUNT(*) FROM visits JOIN lines ON age = amount
--> Unsupported: lines is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM visits JOIN (SELECT patient_id + 0 AS pid, value FROM labs) l ON visits.patient_id = l.pid
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM visits JOIN (SELECT value FROM labs) l ON age = value
--> Unsupported: l is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM visits JOIN (SELECT age AS patient_id FROM visits) l USING (patient_id)
--> Unsupported: patient_id is the name of the privacy id

SELECT COUNT(*) FROM visits JOIN (SELECT visit_age AS patient_id FROM labs) l USING (patient_id)
--> Unsupported: patient_id is the name of the privacy id

SELECT COUNT(*) FROM visits RIGHT JOIN regions USING (region)
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM visits FULL JOIN labs USING (patient_id)
--> Unsupported: FULL JOIN is not supported

SELECT COUNT(*) FROM visits NATURAL JOIN regions
--> Unsupported: NATURAL JOIN is not supported

SELECT COUNT(*) FROM visits SEMI JOIN labs USING (patient_id)
--> Unsupported: SEMI JOIN is not supported

SELECT COUNT(*) FROM visits ANTI JOIN labs USING (patient_id)
--> Unsupported: ANTI JOIN is not supported

SELECT COUNT(*) FROM visits ASOF JOIN labs USING (patient_id)
--> Unsupported: ASOF JOIN is not supported

SELECT COUNT(*) FROM visits POSITIONAL JOIN labs
--> Unsupported: POSITIONAL JOIN is not supported

SELECT COUNT(*) FROM regions LEFT JOIN visits USING (region)
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM regions JOIN drugs ON region = drug
--> Unsupported: regions is a public table, which has no privacy unit

SELECT COUNT(*) FROM regions JOIN drugs ON region = drug LEFT JOIN visits ON visits.region = drug
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM visits LEFT JOIN labs
--> Unsupported: LEFT JOIN needs ON or USING with an equality

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id AND value > age
--> Unsupported: This condition in the ON of a LEFT JOIN reads both sides, and a row may match several rows

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id AND value
--> Unsupported: ON needs a condition, but this is real

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id JOIN patients ON patients.id = labs.patient_id
--> Unsupported: patient_id may be NULL here because of the LEFT JOIN

SELECT COUNT(*) FROM visits JOIN labs USING (patient_id) WHERE patient_id = 3
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM visits JOIN labs USING (age)
--> Unsupported: USING needs exactly one column age on each side

SELECT COUNT(*) FROM visits JOIN patients ON patient_id = id JOIN regions USING (region)
--> Unsupported: USING needs exactly one column region on each side

SELECT region, COUNT(*) FROM visits JOIN patients ON patient_id = id GROUP BY region
--> Unsupported: region is ambiguous: several columns have this name

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id WHERE x.age = 3
--> Unsupported: x is not a table of this question

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id WHERE nothing = 3
--> Unsupported: visits and labs have no column nothing

SELECT COUNT(*) FROM visits v JOIN regions r ON v.age = r.region
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits v JOIN regions r ON v.region = r.region AND v.age
--> Unsupported: ON or WHERE needs a condition, but this is integer

SELECT COUNT(*) FROM answers JOIN drugs ON region = drug
--> Unsupported: A row could match several rows of drugs, but every row is its own unit and counts once

SELECT COUNT(*) FROM answers a JOIN answers b ON a.region = b.region
--> Unsupported: Every row of this table is its own unit, so it cannot be joined to another protected table

SELECT COUNT(*) FROM answers a JOIN visits b ON a.region = b.region
--> Unsupported: Every row of this table is its own unit, so it cannot be joined to another protected table

SELECT COUNT(*) FROM (visits JOIN regions USING (region))
--> Unsupported: Parentheses around tables and joins are not supported

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id AND w.region = 3 JOIN regions w USING (region)
--> Unsupported: w is not a table of this question

SELECT COUNT(*) FROM visits LEFT JOIN patients ON patient_id = id AND region = 'north'
--> Unsupported: region is ambiguous: several columns have this name

SELECT COUNT(*) FROM lines, drugs WHERE (lines.drug = drugs.drug AND amount > 3) OR amount < 2
--> Unsupported: drugs is not joined to the other tables

SELECT COUNT(*) FROM visits a, visits b WHERE (a.patient_id = b.patient_id AND a.age = 3) OR (a.patient_id = b.patient_id AND a.age = 4)
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) JOIN (SELECT patient_id FROM labs) USING (patient_id)
--> Unsupported: Two subqueries have no name

SELECT COUNT(*) FROM visits a JOIN (SELECT age AS patient_id FROM (SELECT age FROM visits)) b ON a.patient_id = b.patient_id
--> Unsupported: patient_id is the privacy id. It can only be compared with the privacy id of another table

SELECT COUNT(*) FROM visits LEFT JOIN labs USING (patient_id) RIGHT JOIN regions USING (region)
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM regions r LEFT JOIN drugs d ON d.drug = r.region JOIN visits v ON v.age > 3
--> Unsupported: regions is not joined to the other tables
