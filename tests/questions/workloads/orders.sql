SELECT returned, line_status, SUM(quantity) AS qty, SUM(price) AS base, SUM(price * (1 - discount))
  AS disc, SUM(price * (1 - discount) * (1 + tax)) AS charge, AVG(quantity) AS avg_qty, AVG(price)
  AS avg_price, AVG(discount) AS avg_disc, COUNT(*) AS n FROM lines WHERE shipped <= DATE
  '1998-12-01' - INTERVAL 90 DAY GROUP BY returned, line_status ORDER BY returned, line_status;

SELECT o.order_id, SUM(l.price * (1 - l.discount)) AS revenue FROM customers c, orders o, lines l
  WHERE c.segment = 'BUILDING' AND c.customer_id = o.customer_id AND l.order_id = o.order_id GROUP
  BY o.order_id ORDER BY revenue DESC LIMIT 10;

SELECT priority, COUNT(*) AS n FROM orders WHERE ordered >= DATE '1993-07-01' AND ordered < DATE
  '1993-07-01' + INTERVAL 3 MONTH AND EXISTS (SELECT * FROM lines WHERE lines.order_id =
  orders.order_id AND committed < received) GROUP BY priority ORDER BY priority;

SELECT n.nation, SUM(l.price * (1 - l.discount)) AS revenue FROM customers c, orders o, lines l,
  suppliers s, nations n WHERE c.customer_id = o.customer_id AND l.order_id = o.order_id AND
  l.supplier_id = s.supplier_id AND c.nation_id = s.supplier_nation AND s.supplier_nation =
  n.nation_id AND n.region = 'ASIA' AND o.ordered >= DATE '1994-01-01' AND o.ordered < DATE
  '1995-01-01' GROUP BY n.nation ORDER BY revenue DESC;

SELECT SUM(price * discount) AS revenue FROM lines WHERE shipped >= DATE '1994-01-01' AND shipped <
  DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

SELECT supp, cust, l_year, SUM(volume) AS revenue FROM (SELECT n1.nation AS supp, n2.nation AS
  cust, EXTRACT(year FROM l.shipped) AS l_year, l.price * (1 - l.discount) AS volume FROM suppliers
  s, lines l, orders o, customers c, nations n1, nations n2 WHERE s.supplier_id = l.supplier_id AND
  o.order_id = l.order_id AND c.customer_id = o.customer_id AND s.supplier_nation = n1.nation_id
  AND c.nation_id = n2.nation_id AND ((n1.nation = 'FRANCE' AND n2.nation = 'GERMANY') OR
  (n1.nation = 'GERMANY' AND n2.nation = 'FRANCE'))) AS shipping GROUP BY supp, cust, l_year ORDER
  BY supp, cust, l_year;

SELECT o_year, SUM(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / SUM(volume) AS share FROM
  (SELECT EXTRACT(year FROM o.ordered) AS o_year, l.price * (1 - l.discount) AS volume, n.nation
  FROM lines l JOIN orders o ON o.order_id = l.order_id JOIN suppliers s ON s.supplier_id =
  l.supplier_id JOIN nations n ON n.nation_id = s.supplier_nation) AS all_nations GROUP BY o_year
  ORDER BY o_year;

SELECT n.nation, EXTRACT(year FROM o.ordered) AS y, SUM(l.price * (1 - l.discount) - 10 *
  l.quantity) AS profit FROM lines l, orders o, suppliers s, nations n, parts p WHERE s.supplier_id
  = l.supplier_id AND p.part_id = l.part_id AND o.order_id = l.order_id AND s.supplier_nation =
  n.nation_id AND p.kind LIKE '%STEEL%' GROUP BY n.nation, y ORDER BY n.nation, y DESC;

SELECT mode, SUM(CASE WHEN o.priority = '1-URGENT' OR o.priority = '2-HIGH' THEN 1 ELSE 0 END) AS
  high, SUM(CASE WHEN o.priority <> '1-URGENT' AND o.priority <> '2-HIGH' THEN 1 ELSE 0 END) AS low
  FROM orders o, lines l WHERE o.order_id = l.order_id AND l.mode IN ('MAIL', 'SHIP') AND
  l.committed < l.received AND l.shipped < l.committed GROUP BY mode ORDER BY mode;

SELECT c_count, COUNT(*) AS custdist FROM (SELECT c.customer_id, COUNT(o.order_id) AS c_count FROM
  customers c LEFT OUTER JOIN orders o ON c.customer_id = o.customer_id AND o.remark NOT LIKE
  '%special%requests%' GROUP BY c.customer_id) AS c_orders GROUP BY c_count ORDER BY custdist DESC,
  c_count DESC;

SELECT 100.00 * SUM(CASE WHEN p.kind LIKE 'PROMO%' THEN l.price * (1 - l.discount) ELSE 0 END) /
  SUM(l.price * (1 - l.discount)) AS promo FROM lines l, parts p WHERE l.part_id = p.part_id AND
  l.shipped >= DATE '1995-09-01' AND l.shipped < DATE '1995-10-01';

WITH revenue AS (SELECT supplier_id AS supplier_no, SUM(price * (1 - discount)) AS total_revenue
  FROM lines WHERE shipped >= DATE '1996-01-01' GROUP BY supplier_id) SELECT s.supplier_id,
  s.account, r.total_revenue FROM suppliers s, revenue r WHERE s.supplier_id = r.supplier_no AND
  r.total_revenue = (SELECT MAX(total_revenue) FROM revenue) ORDER BY s.supplier_id;

SELECT p.brand, p.kind, p.size, COUNT(DISTINCT l.supplier_id) AS suppliers FROM lines l, parts p
  WHERE p.part_id = l.part_id AND p.brand <> 'Brand#4' AND p.kind NOT LIKE 'MEDIUM%' AND p.size IN
  (9, 14, 19) AND l.supplier_id NOT IN (SELECT supplier_id FROM suppliers WHERE account < 0) GROUP
  BY p.brand, p.kind, p.size ORDER BY suppliers DESC;

SELECT SUM(l.price) / 7.0 AS avg_yearly FROM lines l, parts p WHERE p.part_id = l.part_id AND
  p.brand = 'Brand#2' AND p.container = 'MED BAG' AND l.quantity < (SELECT 0.2 * AVG(quantity) FROM
  lines);

SELECT SUM(l.price * (1 - l.discount)) AS revenue FROM lines l, parts p WHERE (p.part_id =
  l.part_id AND p.brand = 'Brand#1' AND p.container IN ('SM BOX') AND l.quantity >= 1 AND
  l.quantity <= 11 AND p.size BETWEEN 1 AND 5) OR (p.part_id = l.part_id AND p.brand = 'Brand#2'
  AND l.quantity >= 10 AND l.quantity <= 20 AND p.size BETWEEN 1 AND 10);

SELECT cntry, COUNT(*) AS numcust, SUM(balance) AS total FROM (SELECT SUBSTRING(phone FROM 1 FOR 2)
  AS cntry, balance, customer_id FROM customers c WHERE SUBSTRING(phone FROM 1 FOR 2) IN ('13',
  '31', '23') AND balance > (SELECT AVG(balance) FROM customers WHERE balance > 0.00) AND NOT
  EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.customer_id)) AS custsale GROUP BY cntry
  ORDER BY cntry;

SELECT s.supplier_id, COUNT(*) AS numwait FROM suppliers s, lines l1, orders o, nations n WHERE
  s.supplier_id = l1.supplier_id AND o.order_id = l1.order_id AND o.status = 'F' AND l1.received >
  l1.committed AND EXISTS (SELECT * FROM lines l2 WHERE l2.order_id = l1.order_id AND
  l2.supplier_id <> l1.supplier_id) AND s.supplier_nation = n.nation_id AND n.nation = 'GERMANY'
  GROUP BY s.supplier_id ORDER BY numwait DESC LIMIT 100;

SELECT p.kind, SUM(l.quantity) AS qty FROM lines l JOIN parts p ON p.part_id = l.part_id GROUP BY
  p.kind HAVING SUM(l.quantity) > (SELECT SUM(quantity) * 0.1 FROM lines) ORDER BY qty DESC;

SELECT segment, COUNT(*) AS n, AVG(balance) AS mean, STDDEV(balance) AS sd, MEDIAN(balance) AS med
  FROM customers GROUP BY segment;

SELECT segment, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS share FROM customers GROUP BY segment
  ORDER BY share DESC;

SELECT COUNT(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders);

SELECT AVG(n) AS mean_orders FROM (SELECT c.customer_id, LEAST(COUNT(o.order_id), 20) AS n FROM
  customers c LEFT JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.customer_id) t;

SELECT status, priority, COUNT(*) AS n FROM orders GROUP BY ROLLUP (status, priority) ORDER BY
  status, priority;

SELECT segment, nation_id, COUNT(*) AS n FROM customers GROUP BY CUBE (segment, nation_id);

SELECT status, priority, SUM(total) AS t FROM orders GROUP BY GROUPING SETS ((status), (priority),
  ());

SELECT EXTRACT(year FROM ordered) AS y, status, SUM(total) AS t, RANK() OVER (PARTITION BY
  EXTRACT(year FROM ordered) ORDER BY SUM(total) DESC) AS r FROM orders GROUP BY y, status;

WITH yearly AS (SELECT EXTRACT(year FROM ordered) AS y, SUM(total) AS t FROM orders GROUP BY y)
  SELECT y, t, t / LAG(t) OVER (ORDER BY y) - 1 AS growth FROM yearly ORDER BY y;

WITH a AS (SELECT COUNT(*) AS n FROM orders WHERE status = 'F'), b AS (SELECT COUNT(*) AS n FROM
  orders) SELECT a.n * 1.0 / b.n AS share FROM a, b;

SELECT o.status, COUNT(DISTINCT o.customer_id) AS people FROM orders o JOIN customers c ON
  c.customer_id = o.customer_id AND c.segment LIKE 'B%' GROUP BY o.status;

SELECT COUNT(*) FROM orders o WHERE o.total > (SELECT AVG(total) FROM orders);

SELECT COUNT(*) FROM orders WHERE total > 1.5 * (SELECT AVG(total) FROM orders WHERE status = 'F')
  AND status = 'O';

SELECT customer_id FROM orders INTERSECT SELECT customer_id
  FROM customers WHERE balance < 0;  -- expect: reveals ids

SELECT COUNT(*) FROM (SELECT customer_id FROM orders INTERSECT SELECT customer_id FROM customers
  WHERE balance < 0) t;

SELECT COUNT(*) FROM (SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders WHERE
  status = 'F') t;

SELECT c.segment, COUNT(*) FROM customers c JOIN (SELECT customer_id AS who, SUM(total) AS spent
  FROM orders GROUP BY customer_id) s ON s.who = c.customer_id WHERE s.spent > 1000 GROUP BY
  c.segment;

SELECT n.nation, COUNT(c.balance) AS n, SUM(c.balance) AS b FROM nations n LEFT JOIN customers c ON
  c.nation_id = n.nation_id GROUP BY n.nation;

SELECT n.nation, COUNT(*) FROM customers c RIGHT JOIN nations n ON c.nation_id = n.nation_id GROUP
  BY n.nation;  -- expect: NULL-extended

SELECT n.region, SUM(c.balance) AS b FROM customers c RIGHT JOIN nations n ON c.nation_id =
  n.nation_id GROUP BY n.region;

SELECT COUNT(*) FROM customers WHERE nation_id IN (SELECT nation_id FROM nations WHERE region =
  'EUROPE') OR EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = customers.customer_id AND
  o.status = 'P');

SELECT REGR_SLOPE(price, quantity) AS slope, REGR_INTERCEPT(price, quantity) AS b0, REGR_R2(price,
  quantity) AS r2 FROM lines;

SELECT CORR(price, quantity) AS r, COVAR_POP(price, quantity) AS c FROM lines;

SELECT mode, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) AS med FROM lines GROUP BY mode;

SELECT WIDTH_BUCKET(price, 0, 100000, 10) AS bucket, COUNT(*) FROM lines GROUP BY bucket ORDER BY
  bucket;

SELECT DATE_PART('quarter', ordered) AS q, SUM(total) FROM orders GROUP BY q ORDER BY q;

SELECT DATE_TRUNC('month', ordered) AS m, SUM(SUM(total)) OVER (ORDER BY DATE_TRUNC('month',
  ordered)) AS running FROM orders GROUP BY m ORDER BY m;

SELECT SUM(DISTINCT quantity) FROM lines;

SELECT c.customer_id, c.balance FROM customers c ORDER BY
  balance DESC LIMIT 20;  -- expect: individual rows

SELECT c.customer_id, SUM(o.total) FROM customers c, orders o WHERE c.customer_id = o.customer_id
  GROUP BY c.customer_id HAVING SUM(o.total) > 300;  -- expect: reveals ids

SELECT a.customer_id, b.customer_id FROM orders a JOIN
  orders b ON a.total = b.total; -- expect: needs a cap

SELECT COUNT(*) FROM orders a JOIN orders b ON a.priority = b.priority;  -- expect: needs a cap

SELECT AVG(total) AS total FROM orders;

SELECT POWER(AVG(balance), 2) AS p, SQRT(ABS(AVG(balance))) AS s, ROUND(AVG(balance), 2) AS r FROM
  customers;

SELECT segment, CAST(COUNT(*) AS VARCHAR) || ' customers' AS label FROM customers GROUP BY segment;

SELECT priority FROM orders GROUP BY priority;

SELECT CAST(ordered AS VARCHAR) AS d, COUNT(*) FROM orders WHERE ordered < '1992-02-01' GROUP BY d;

SELECT SKEWNESS(quantity), KURTOSIS(quantity) FROM lines;

SELECT nation FROM nations WHERE region = 'ASIA';

SELECT region, COUNT(*) FROM nations GROUP BY region;

SELECT n.nation, (SELECT COUNT(*) FROM customers c WHERE c.nation_id = n.nation_id) AS customers,
  (SELECT SUM(balance) FROM customers c WHERE c.nation_id = n.nation_id) AS balance FROM nations n
  ORDER BY customers DESC;

SELECT COUNT(*) FROM orders o WHERE (SELECT SUM(LEAST(quantity, 50)) FROM lines l WHERE l.order_id =
  o.order_id) > 100;

SELECT COUNT(*) FROM nations WHERE (SELECT AVG(balance) FROM customers WHERE customers.nation_id =
  nations.nation_id) > (SELECT AVG(balance) FROM customers);

SELECT mode, SUM(quantity), SUM(SUM(quantity)) OVER (ORDER BY mode rows between unbounded preceding
  and current row) AS running FROM lines GROUP BY mode;
