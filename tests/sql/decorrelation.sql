SELECT AVG(LEAST((SELECT COUNT(*) FROM labs l WHERE l.patient_id = p.id AND value > 3), 9)) FROM patients p
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   patients
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     where value > 3.0
-->     labs
--> of patients, labs: 1 groups, 1 rows
--> a0: moments of LEAST(COALESCE(p0, 0), 9) from 0 to 9 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM patients WHERE (SELECT SUM(LEAST(value, 10)) FROM labs WHERE patient_id = id) > 20
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   patients
-->   columns d0: f0
-->   each person: f0 total of c0 from 0 to 100 steps of 1/10
-->     columns c0: LEAST(value, 10)
-->     labs
--> of patients, labs: 1 groups, 1 rows
--> where p0 > 20.0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM orders o WHERE (SELECT COALESCE(SUM(amount), 0) FROM lines WHERE order_id = o.order_id) = 0
--> left join of the same person on (c0 = d1) adds (p0: d0)
-->   columns c0: order_id
-->   orders
-->   columns d0: COALESCE(f0, 0), d1: c1
-->   each person, c1: f0 total of c0 from 0 to 20 steps of 1
-->     columns c0: amount, c1: order_id
-->     lines
--> of orders, lines: 1 groups, 2 rows
--> where COALESCE(p0, 0) = 0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT sex, SUM(CASE WHEN (SELECT 2 * (MAX(age) - MIN(age)) FROM visits v WHERE v.patient_id = p.id AND v.region = p.region) > 5 THEN 1 ELSE 0 END) AS n FROM patients p GROUP BY sex
--> left join of the same person on (c0 = d1) adds (p0: d0)
-->   columns c0: region, c1: sex
-->   patients
-->   columns d0: (f0 - f1) * 2, d1: c1
-->   each person, c1: f0 greatest of c0, f1 least of c0
-->     columns c0: age, c1: region
-->     visits
--> of patients, visits: 1 groups, 1 rows
--> k0: c1 (text, 2 values)
--> a0: total of CASE WHEN p0 >= 6 THEN 1 ELSE 0 END from 0 to 1 steps of 1 (integer)
--> sex = k0 (text)
--> n = a0 (integer)
