SELECT age / 10, COUNT(*) FROM visits GROUP BY 1
--> Unsupported: Cannot group by real numbers: nearly every value would be a group of its own

SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id
--> Unsupported: patient_id is the privacy id. Grouping by it would show each unit on its own

SELECT COUNT(*) FROM visits GROUP BY patient_id = 3
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM visits GROUP BY 2
--> Unsupported: There is no output column 2

SELECT COUNT(*) FROM visits GROUP BY 0
--> Unsupported: There is no output column 0

SELECT COUNT(*) FROM visits GROUP BY 1
--> Unsupported: COUNT is not allowed inside GROUP BY

SELECT COUNT(*) FROM visits GROUP BY 1.5
--> Unsupported: There is no output column 1.5

SELECT COUNT(*) FROM visits GROUP BY regin
--> Unsupported: visits has no column regin

SELECT COUNT(*) FROM visits GROUP BY NULLIF(region, region)
--> Unsupported: This GROUP BY key is always NULL

SELECT COUNT(*) AS n FROM visits GROUP BY n
--> Unsupported: COUNT is not allowed inside GROUP BY

SELECT COUNT(*) FROM visits GROUP BY age+0, age+1, age+2, age+3, age+4, age+5, age+6, age+7, age+8, age+9, age+10, age+11, age+12, age+13, age+14, age+15, age+16, age+17, age+18, age+19, age+20
--> Unsupported: GROUP BY has more than 20 keys

SELECT age, COUNT(*) FROM visits WHERE age < 5 AND age IN (7, 8) GROUP BY age
--> Unsupported: WHERE excludes every declared value of this key

SELECT region AS city, COUNT(*) FROM visits GROUP BY city
--> Unsupported: region is neither in GROUP BY nor inside an aggregate

SELECT region AS patient_id, COUNT(*) FROM visits GROUP BY patient_id
--> Unsupported: patient_id is the name of the privacy id

SELECT patient_id AS region, COUNT(*) FROM visits GROUP BY region
--> Unsupported: patient_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT patient_id AS who, COUNT(*) FROM visits GROUP BY who
--> Unsupported: patient_id is the privacy id. Grouping by it would show each unit on its own

SELECT weight, COUNT(*) FROM visits GROUP BY weight
--> Unsupported: Cannot group by real numbers: nearly every value would be a group of its own

SELECT SQRT(age), COUNT(*) FROM visits GROUP BY 1
--> Unsupported: Cannot group by real numbers: nearly every value would be a group of its own
