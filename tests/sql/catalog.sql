SELECT COUNT(*), COUNT(DISTINCT (store, customer)) FROM sales
--> a0: rows (integer)
--> a1: units (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT store, COUNT(DISTINCT store, customer), COUNT(DISTINCT kind) FROM sales WHERE store < 3 GROUP BY store
--> where store <= 2
--> k0: store (integer, 2 values)
--> a0: units (integer)
--> a1: distinct of kind (integer)
--> store = k0 (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT COUNT(DISTINCT (store, customer)) FILTER (WHERE price > 9), COUNT(customer) FROM sales
--> a0: total of CASE WHEN price >= 10 THEN 1 ELSE NULL END from 1 to 1 steps of 1 within 0 to 1 (integer)
--> a1: rows (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT kind, SUM(days) FROM sales s JOIN returns r ON s.store = r.shop AND s.customer = r.customer GROUP BY kind
--> join of the same person on () adds (p0: d0)
-->   columns c0: days
-->   returns
-->   columns d0: kind
-->   sales
--> of sales, returns: 2 groups, 4 rows
--> k0: p0 (text, 2 values)
--> a0: total of c0 from 0 to 30 steps of 1 (integer)
--> kind = k0 (text)
--> sum = a0 (integer)

SELECT COUNT(*) FROM sales s JOIN returns r ON s.customer = r.customer WHERE r.shop = s.store
--> join of the same person on () adds ()
-->   columns 
-->   returns
-->   columns 
-->   sales
--> of sales, returns: 1 groups, 4 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM sales a JOIN sales b USING (store, customer) WHERE a.price < b.price
--> join of the same person on (c1 = d1) adds (p0: d0)
-->   columns c0: price, c1: store
-->   sales
-->   columns d0: price, d1: store
-->   sales
--> of sales: 1 groups, 4 rows
--> where c0 < p0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*), COUNT(DISTINCT (s.store, r.customer)) FROM sales s LEFT JOIN returns r ON s.store = r.shop AND s.customer = r.customer
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   sales
-->   columns d0: 1
-->   returns
--> of sales, returns: 1 groups, 4 rows
--> a0: rows (integer)
--> a1: total of p0 from 1 to 1 steps of 1 within 0 to 1 (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)

SELECT COUNT(*) FROM sales WHERE (store, customer) IN (SELECT shop, customer FROM returns WHERE days > 9)
--> join of the same person on () adds ()
-->   columns 
-->   each person: 
-->     columns 
-->     where days >= 10
-->     returns
-->   columns 
-->   sales
--> of sales, returns: 1 groups, 4 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM sales s WHERE NOT EXISTS (SELECT 1 FROM returns r WHERE s.store = r.shop AND s.customer = r.customer)
--> left join of the same person on () adds (p0: d0)
-->   columns 
-->   sales
-->   columns d0: f0
-->   each person: f0 rows
-->     columns 
-->     returns
--> of sales, returns: 1 groups, 4 rows
--> where p0 IS NULL
--> a0: rows (integer)
--> count = a0 (integer)

SELECT store, AVG(LEAST(total, 200)) FROM (SELECT store, customer, SUM(price) AS total FROM sales GROUP BY store, customer) GROUP BY store
--> each person, c1: f0 total of c0 from 0 to 90 steps of 1
-->   columns c0: price, c1: store
-->   sales
--> of sales: 1 groups, 1 rows
--> k0: c1 (integer, 3 values)
--> a0: moments of LEAST(f0, 200) from 0 to 200 steps of 1 (real)
--> store = k0 (integer)
--> avg = a0 (real)

SELECT COUNT(*) FROM (SELECT DISTINCT customer AS c, store AS s FROM sales) a JOIN sales b ON a.c = b.customer AND a.s = b.store
--> join of the same person on (c0 = d0) adds ()
-->   columns c0: c0
-->   each person, c0: 
-->     columns c0: store
-->     sales
-->   columns d0: store
-->   sales
--> of sales: 1 groups, 4 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT shop, customer FROM returns UNION ALL SELECT shop, customer FROM returns)
--> union
-->   columns 
-->   returns
-->   columns 
-->   returns
--> of returns: 1 groups, 3 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT shop, customer FROM returns EXCEPT SELECT shop, customer FROM returns WHERE days = 0)
--> each person: f0 greatest of c0
-->   columns c0: u0
-->   union
-->     columns u0: 0
-->     returns
-->     columns u0: 1
-->     where days = 0
-->     returns
--> of returns: 1 groups, 1 rows
--> where f0 <> 1
--> a0: rows (integer)
--> count = a0 (integer)
