SELECT SUM(Cost) AS s, s * 2 FROM visits
--> Unsupported: s is an alias, and the SELECT list cannot use its own aliases

SELECT COUNT(*) AS patient_id FROM visits
--> Unsupported: patient_id is the name of the privacy id

SELECT COUNT(*) FROM visits ORDER BY age
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT COUNT(*) FROM visits ORDER BY 2
--> Unsupported: There is no output column 2

SELECT COUNT(*) FROM visits HAVING age > 3
--> Unsupported: age is neither in GROUP BY nor inside an aggregate

SELECT COUNT(*) FROM visits HAVING nothing > 3
--> Unsupported: visits has no column nothing

SELECT COUNT(*) AS number FROM visits HAVING numbr > 3
--> Unsupported: visits has no column numbr

SELECT COUNT(*) + city FROM visits GROUP BY city
--> Unsupported: + needs numbers, but this is text

SELECT AVG(age) % 2 FROM visits
--> Unsupported: % needs integers

SELECT COUNT(*) AND TRUE FROM visits
--> Unsupported: AND, OR and NOT need conditions, but this is an integer

SELECT CASE COUNT(*) WHEN 'a' THEN 1 END FROM visits
--> Unsupported: A comparison needs values of one type, but these are integer and text
