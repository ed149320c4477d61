SELECT COUNT(*) FROM visits, regions
--> Unsupported: Nothing joins regions to the others

SELECT COUNT(*) FROM visits CROSS JOIN regions
--> Unsupported: A cross join puts rows of different people side by side

SELECT COUNT(*) FROM visits JOIN regions ON age > 3
--> Unsupported: Nothing joins regions to the others

SELECT COUNT(*) FROM visits a, visits b
--> Unsupported: Nothing says that a row of visits belongs to the same person as the row beside it

SELECT COUNT(*) FROM visits a, visits b WHERE a.age = b.age
--> Unsupported: Nothing says that a row of visits belongs to the same person as the row beside it

SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.age
--> Unsupported: patient_id says whose rows these are, and is equal to nothing but the same of another table

SELECT COUNT(*) FROM visits a JOIN regions b ON a.patient_id = b.region
--> Unsupported: patient_id says whose rows these are, and is equal to nothing but the same of another table

SELECT COUNT(*) FROM visits a JOIN visits a USING (patient_id)
--> Unsupported: Two sources are called a

SELECT COUNT(*) FROM visits JOIN staff USING (patient_id)
--> Unsupported: staff is about other people than visits, and no row of the one says whom of the other it means

SELECT COUNT(*) FROM visits JOIN lines ON age = amount
--> Unsupported: Nothing says that a row of lines belongs to the same person as the row beside it

SELECT COUNT(*) FROM visits JOIN (SELECT patient_id AS pid, value FROM labs) l ON visits.patient_id = l.pid
--> Unsupported: patient_id says whose rows these are, and cannot be renamed

SELECT COUNT(*) FROM visits JOIN (SELECT patient_id + 0 AS pid, value FROM labs) l ON visits.patient_id = l.pid
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM visits JOIN (SELECT value FROM labs) l ON age = value
--> Unsupported: Nothing says that a row of l belongs to the same person as the row beside it

SELECT COUNT(*) FROM visits JOIN (SELECT age AS patient_id FROM visits) l USING (patient_id)
--> Unsupported: patient_id is the name of the column that says whose rows these are

SELECT COUNT(*) FROM visits JOIN (SELECT visit_age AS patient_id FROM labs) l USING (patient_id)
--> Unsupported: patient_id is the name of the column that says whose rows these are

SELECT COUNT(*) FROM visits RIGHT JOIN regions USING (region)
--> Unsupported: RIGHT JOIN is not read

SELECT COUNT(*) FROM visits FULL JOIN labs USING (patient_id)
--> Unsupported: FULL JOIN is not read

SELECT COUNT(*) FROM visits NATURAL JOIN regions
--> Unsupported: NATURAL JOIN is not read

SELECT COUNT(*) FROM visits SEMI JOIN labs USING (patient_id)
--> Unsupported: SEMI JOIN is not read

SELECT COUNT(*) FROM visits ANTI JOIN labs USING (patient_id)
--> Unsupported: ANTI JOIN is not read

SELECT COUNT(*) FROM visits ASOF JOIN labs USING (patient_id)
--> Unsupported: ASOF JOIN is not read

SELECT COUNT(*) FROM visits POSITIONAL JOIN labs
--> Unsupported: POSITIONAL JOIN is not read

SELECT COUNT(*) FROM regions LEFT JOIN visits USING (region)
--> Unsupported: Here public tables are joined before a protected one

SELECT COUNT(*) FROM regions JOIN drugs ON region = drug
--> Unsupported: Here public tables are joined before a protected one

SELECT COUNT(*) FROM regions JOIN drugs ON region = drug LEFT JOIN visits ON visits.region = drug
--> Unsupported: Here public tables are joined before a protected one

SELECT COUNT(*) FROM visits LEFT JOIN labs
--> Unsupported: LEFT JOIN needs an equality

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id AND value > age
--> Unsupported: In the ON of a LEFT JOIN stand equalities, and conditions on its own table

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id AND value
--> Unsupported: ON wants a condition, and this is real

SELECT COUNT(DISTINCT labs.patient_id) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id
--> Unsupported: patient_id may be missing here, behind a LEFT JOIN

SELECT COUNT(*) FROM visits LEFT JOIN labs ON visits.patient_id = labs.patient_id JOIN patients ON patients.id = labs.patient_id
--> Unsupported: patient_id may be missing here, behind a LEFT JOIN

SELECT COUNT(*) FROM visits JOIN labs USING (patient_id) WHERE patient_id = 3
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM visits JOIN labs USING (age)
--> Unsupported: age is not one column of each side

SELECT COUNT(*) FROM visits JOIN patients ON patient_id = id JOIN regions USING (region)
--> Unsupported: region is not one column of each side

SELECT region, COUNT(*) FROM visits JOIN patients ON patient_id = id GROUP BY region
--> Unsupported: region is the name of several columns

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id WHERE x.age = 3
--> Unsupported: x is no table of this question

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id WHERE nothing = 3
--> Unsupported: visits and labs have no column nothing

SELECT COUNT(*) FROM visits v JOIN regions r ON v.age = r.region
--> Unsupported: A comparison needs values of one type, but these are integer and text

SELECT COUNT(*) FROM visits v JOIN regions r ON v.region = r.region AND v.age
--> Unsupported: A condition is wanted here, and this is integer

SELECT COUNT(*) FROM answers JOIN drugs ON region = drug
--> Unsupported: A row may meet several rows of drugs, and every row is somebody of their own

SELECT COUNT(*) FROM answers a JOIN answers b ON a.region = b.region
--> Unsupported: Where every row is somebody of their own, rows of two people would meet

SELECT COUNT(*) FROM answers a JOIN visits b ON a.region = b.region
--> Unsupported: Where every row is somebody of their own, rows of two people would meet

SELECT COUNT(*) FROM (visits JOIN regions USING (region))
--> Unsupported: Joins and tables stand here without brackets

SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id AND w.region = 3 JOIN regions w USING (region)
--> Unsupported: w is no table of this question

SELECT COUNT(*) FROM visits LEFT JOIN patients ON patient_id = id AND region = 'north'
--> Unsupported: In the ON of a LEFT JOIN stand equalities, and conditions on its own table

SELECT COUNT(*) FROM lines, drugs WHERE (lines.drug = drugs.drug AND amount > 3) OR amount < 2
--> Unsupported: Nothing joins drugs to the others

SELECT COUNT(*) FROM visits a, visits b WHERE (a.patient_id = b.patient_id AND a.age = 3) OR (a.patient_id = b.patient_id AND a.age = 4)
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM (SELECT patient_id FROM visits) JOIN (SELECT patient_id FROM labs) USING (patient_id)
--> Unsupported: Two subqueries have no name

SELECT COUNT(*) FROM visits a JOIN (SELECT age AS patient_id FROM (SELECT age FROM visits)) b ON a.patient_id = b.patient_id
--> Unsupported: patient_id says whose rows these are, and is equal to nothing but the same of another table

SELECT COUNT(*) FROM visits LEFT JOIN labs USING (patient_id) RIGHT JOIN regions USING (region)
--> Unsupported: RIGHT JOIN is not read

SELECT COUNT(*) FROM regions r LEFT JOIN drugs d ON d.drug = r.region JOIN visits v ON v.age > 3
--> Unsupported: Nothing joins regions to the others
