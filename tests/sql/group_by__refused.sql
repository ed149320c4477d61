SELECT Cost, COUNT(*) FROM visits GROUP BY Cost
--> Unsupported: Real numbers make too many groups

SELECT age / 10, COUNT(*) FROM visits GROUP BY 1
--> Unsupported: Real numbers make too many groups

SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id
--> Unsupported: A group for every person would show each of them

SELECT COUNT(*) FROM visits GROUP BY patient_id = 3
--> Unsupported: patient_id says whose rows these are, and is no column of questions

SELECT COUNT(*) FROM visits GROUP BY 'x'
--> Unsupported: This key is the same for all rows

SELECT COUNT(*) FROM visits GROUP BY 2
--> Unsupported: There is no output 2

SELECT COUNT(*) FROM visits GROUP BY 0
--> Unsupported: There is no output 0

SELECT COUNT(*) FROM visits GROUP BY 1
--> Unsupported: COUNT has no place inside GROUP BY

SELECT COUNT(*) FROM visits GROUP BY 1.5
--> Unsupported: There is no output 1.5

SELECT COUNT(*) FROM visits GROUP BY regin
--> Unsupported: visits has no column regin

SELECT COUNT(*) FROM visits GROUP BY NULLIF(region, region)
--> Unsupported: This key is always NULL

SELECT COUNT(*) AS n FROM visits GROUP BY n
--> Unsupported: COUNT has no place inside GROUP BY

SELECT COUNT(*) FROM visits GROUP BY ()
--> Unsupported: Several values in brackets are not read

SELECT COUNT(*) FROM visits GROUP BY age, age+1, age+2, age+3, age+4, age+5, age+6, age+7, age+8, age+9, age+10, age+11, age+12, age+13, age+14, age+15, age+16, age+17, age+18, age+19, age+20
--> Unsupported: This has more than 20 keys

SELECT age, COUNT(*) FROM visits WHERE age < 5 AND age IN (7, 8) GROUP BY age
--> Unsupported: WHERE leaves no value of this key

SELECT FLOOR(age / 10) AS age, COUNT(*) FROM visits GROUP BY age
--> Unsupported: age is the name of a column and of another output

SELECT COALESCE(region, 'none') AS Region, COUNT(*) FROM (SELECT region FROM visits) GROUP BY region
--> Unsupported: region is the name of a column and of another output
