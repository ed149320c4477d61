SELECT COUNT(*) FROM visits WHERE visits.patient_id = 3
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM visits WHERE agee > 3
--> Unsupported: visits has no column agee

SELECT COUNT(*) FROM visits WHERE note = 'x'
--> Unsupported: visits has no column note

SELECT COUNT(*) FROM visits WHERE v.age > 3
--> Unsupported: v is not the table of this question

SELECT COUNT(*) FROM visits v WHERE visits.age > 3
--> Unsupported: visits is not the table of this question

SELECT COUNT(*) FROM visits WHERE main.visits.age > 3
--> Unsupported: Tables have no schema here

SELECT COUNT(*) FROM visits WHERE a.b.c.d.e > 3
--> Unsupported: Parts of values are not read

SELECT * FROM visits
--> Unsupported: * stands for rows, and rows are never shown

SELECT v.* FROM visits v
--> Unsupported: * stands for rows, and rows are never shown

SELECT region, COUNT(*) FROM visits
--> Unsupported: region is shown as it is, row by row

SELECT region, age, COUNT(*) FROM visits GROUP BY region
--> Unsupported: age is shown as it is, row by row

SELECT age + 1, COUNT(*) FROM visits GROUP BY FLOOR(age / 10)
--> Unsupported: age is shown as it is, row by row
