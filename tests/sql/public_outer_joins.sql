SELECT r.zone, COUNT(v.age) AS n, AVG(v.Cost) AS m FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY r.zone
--> join on (c2 = d0) adds (p0: d1)
-->   columns c0: Cost, c1: age, c2: region
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 2 groups, 5 rows
--> k0: p0 (text, 2 values)
--> a0: values of c1 (integer)
--> a1: moments of c0 from 0 to 1000000 steps of 1/100 (real)
--> zone = k0 (text)
--> n = a0 (integer)
--> m = a1 (real)

SELECT zone, SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) AS n FROM visits RIGHT JOIN regions USING (region) WHERE smoker GROUP BY zone
--> join on (c1 = d0) adds (p0: d1)
-->   columns c0: age, c1: region, c2: smoker
-->   visits
-->   columns d0: region, d1: zone
-->   regions
--> of visits: 2 groups, 5 rows
--> where c2
--> k0: p0 (text, 2 values)
--> a0: total of CASE WHEN c0 >= 31 THEN 1 ELSE 0 END from 0 to 1 steps of 1 (integer)
--> zone = k0 (text)
--> n = a0 (integer)

SELECT COUNT(*), COUNT(l.patient_id) FROM labs l RIGHT JOIN visits v ON l.patient_id = v.patient_id
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   visits
-->   columns d0: 1
-->   labs
--> of visits, labs: 1 groups, 7 rows
--> a0: rows (integer)
--> a1: values of p0 (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)
