SELECT d.year, i.brand_id, i.brand, SUM(s.sales_price * s.quantity) AS sum_agg FROM date_dim d,
  store_sales s, item i WHERE d.date_sk = s.date_sk AND s.item_sk = i.item_sk AND i.manager_id = 1
  AND d.moy = 11 GROUP BY d.year, i.brand, i.brand_id ORDER BY d.year, sum_agg DESC, brand_id LIMIT
  100;

WITH ctr AS (SELECT customer_sk AS ctr_customer, store_sk AS ctr_store, SUM(amount) AS ctr_total
  FROM store_returns GROUP BY customer_sk, store_sk) SELECT COUNT(*) FROM ctr WHERE ctr_total > 100;

SELECT a.state, COUNT(*) AS cnt FROM customer a, store_sales s, date_dim d, item i WHERE
  a.customer_sk = s.customer_sk AND s.date_sk = d.date_sk AND s.item_sk = i.item_sk AND
  i.current_price > 1.2 * (SELECT AVG(j.current_price) FROM item j) GROUP BY a.state HAVING
  COUNT(*) >= 10 ORDER BY cnt;

SELECT i.brand, AVG(s.quantity) AS a1, AVG(s.list_price) AS a2, AVG(s.coupon) AS a3,
  AVG(s.sales_price) AS a4 FROM store_sales s, customer c, date_dim d, item i WHERE s.date_sk =
  d.date_sk AND s.item_sk = i.item_sk AND s.customer_sk = c.customer_sk AND c.gender = 'M' AND
  c.marital = 'S' AND c.education = 'College' AND d.year = 2025 GROUP BY i.brand ORDER BY i.brand
  LIMIT 100;

SELECT CASE WHEN (SELECT COUNT(*) FROM store_sales WHERE quantity BETWEEN 1 AND 20) > 100 THEN
  (SELECT AVG(coupon) FROM store_sales WHERE quantity BETWEEN 1 AND 20) ELSE (SELECT
  AVG(net_profit) FROM store_sales WHERE quantity BETWEEN 1 AND 20) END AS bucket1;

SELECT i.category, i.class, SUM(w.sales_price) AS revenue, SUM(w.sales_price) * 100 /
  SUM(SUM(w.sales_price)) OVER (PARTITION BY i.class) AS ratio FROM web_sales w, item i, date_dim d
  WHERE w.item_sk = i.item_sk AND i.category IN ('Sports', 'Books', 'Home') AND w.date_sk =
  d.date_sk GROUP BY i.category, i.class ORDER BY i.category, ratio;

SELECT c.education, COUNT(*) AS n, AVG(s.quantity) AS q FROM store_sales s JOIN customer c ON
  c.customer_sk = s.customer_sk GROUP BY c.education;

WITH ss AS (SELECT i.category, SUM(s.sales_price) AS t FROM store_sales s JOIN item i USING
  (item_sk) GROUP BY i.category), ws AS (SELECT i.category, SUM(w.sales_price) AS t FROM web_sales
  w JOIN item i USING (item_sk) GROUP BY i.category) SELECT category, SUM(t) AS total FROM (SELECT
  * FROM ss UNION ALL SELECT * FROM ws) x GROUP BY category ORDER BY total;

WITH ss AS (SELECT i.category, SUM(s.sales_price) AS t FROM store_sales s JOIN item i USING
  (item_sk) GROUP BY i.category), ws AS (SELECT i.category, SUM(w.sales_price) AS t FROM web_sales
  w JOIN item i USING (item_sk) GROUP BY i.category) SELECT ss.category, ss.t, ws.t, ws.t / ss.t AS
  ratio FROM ss JOIN ws ON ss.category = ws.category WHERE ss.t > 0 ORDER BY ratio DESC;

SELECT COUNT(*) FROM customer c WHERE EXISTS (SELECT 1 FROM store_sales s, date_dim d WHERE
  s.customer_sk = c.customer_sk AND s.date_sk = d.date_sk AND d.year = 2025) AND (EXISTS (SELECT 1
  FROM web_sales w WHERE w.customer_sk = c.customer_sk) OR EXISTS (SELECT 1 FROM store_returns r
  WHERE r.customer_sk = c.customer_sk));

SELECT c.gender, c.marital, COUNT(*) AS n FROM customer c WHERE EXISTS (SELECT * FROM store_sales s
  JOIN date_dim d ON d.date_sk = s.date_sk WHERE c.customer_sk = s.customer_sk AND d.moy BETWEEN 1
  AND 4) AND NOT EXISTS (SELECT * FROM web_sales w JOIN date_dim d ON w.date_sk = d.date_sk WHERE
  c.customer_sk = w.customer_sk AND d.moy BETWEEN 1 AND 4) GROUP BY c.gender, c.marital;

SELECT i.category, d.qoy, SUM(s.sales_price * s.quantity) AS sales FROM store_sales s JOIN item i
  ON i.item_sk = s.item_sk JOIN date_dim d ON d.date_sk = s.date_sk GROUP BY ROLLUP (i.category,
  d.qoy) ORDER BY i.category, d.qoy;

SELECT st.store_state, i.category, SUM(s.net_profit) / SUM(s.sales_price) AS margin,
  GROUPING(st.store_state) + GROUPING(i.category) AS lochierarchy FROM store_sales s JOIN store st
  ON st.store_sk = s.store_sk JOIN item i ON i.item_sk = s.item_sk GROUP BY ROLLUP (i.category,
  st.store_state) ORDER BY lochierarchy DESC;

SELECT st.store_state, SUM(s.net_profit) AS total, RANK() OVER (ORDER BY SUM(s.net_profit) DESC) AS
  rk FROM store_sales s, store st WHERE s.store_sk = st.store_sk GROUP BY st.store_state;

WITH v1 AS (SELECT i.category, d.year, d.moy, SUM(s.sales_price) AS sum_sales,
  AVG(SUM(s.sales_price)) OVER (PARTITION BY i.category, d.year) AS avg_monthly, RANK() OVER
  (PARTITION BY i.category ORDER BY d.year, d.moy) AS rn FROM item i, store_sales s, date_dim d
  WHERE s.item_sk = i.item_sk AND s.date_sk = d.date_sk GROUP BY i.category, d.year, d.moy), v2 AS
  (SELECT v1.category, v1.year, v1.moy, v1.avg_monthly, v1.sum_sales, lag.sum_sales AS psum FROM
  v1, v1 lag WHERE v1.category = lag.category AND v1.rn = lag.rn + 1) SELECT * FROM v2 WHERE year =
  2026 ORDER BY sum_sales - avg_monthly LIMIT 100;

SELECT d.day_name, SUM(CASE WHEN d.day_name = 'Sun' THEN s.sales_price ELSE NULL END) AS sun,
  SUM(CASE WHEN d.day_name = 'Mon' THEN s.sales_price ELSE NULL END) AS mon FROM date_dim d,
  store_sales s WHERE d.date_sk = s.date_sk GROUP BY d.day_name;

SELECT SUM(s.net_profit) FROM store_sales s, customer c WHERE s.customer_sk = c.customer_sk AND
  ((c.marital = 'M' AND c.education = 'College' AND s.sales_price BETWEEN 100 AND 150) OR
  (c.marital = 'S' AND c.education = 'Advanced' AND s.sales_price BETWEEN 50 AND 100));

SELECT AVG(w.ship_days), SUM(CASE WHEN w.ship_days <= 30 THEN 1 ELSE 0 END) AS "30 days", SUM(CASE
  WHEN w.ship_days > 30 AND w.ship_days <= 60 THEN 1 ELSE 0 END) AS "31-60 days", SUM(CASE WHEN
  w.ship_days > 120 THEN 1 ELSE 0 END) AS ">120 days" FROM web_sales w;

SELECT amc * 1.0 / NULLIF(pmc, 0) AS am_pm_ratio FROM (SELECT COUNT(*) AS amc FROM web_sales WHERE
  ship_days < 10) a, (SELECT COUNT(*) AS pmc FROM web_sales WHERE ship_days >= 10) p ORDER BY
  am_pm_ratio;

SELECT * FROM (SELECT AVG(list_price) AS b1_lp, COUNT(list_price) AS b1_cnt, COUNT(DISTINCT
  list_price) AS b1_cntd FROM store_sales WHERE quantity BETWEEN 0 AND 5) b1, (SELECT
  AVG(list_price) AS b2_lp, COUNT(list_price) AS b2_cnt, COUNT(DISTINCT list_price) AS b2_cntd FROM
  store_sales WHERE quantity BETWEEN 6 AND 10) b2;

SELECT promotions, total, CAST(promotions AS DECIMAL(15, 4)) / CAST(total AS DECIMAL(15, 4)) * 100
  AS pct FROM (SELECT SUM(sales_price) AS promotions FROM store_sales WHERE coupon > 0) p, (SELECT
  SUM(sales_price) AS total FROM store_sales) t ORDER BY promotions, total;

SELECT st.store_name, SUM(s.net_profit) AS p FROM store_sales s, store st WHERE st.store_sk =
  s.store_sk GROUP BY st.store_name HAVING SUM(s.net_profit) > 0 ORDER BY p DESC LIMIT 10;

SELECT c.state, AVG(r.amount) AS mean_return, COUNT(*) AS n FROM store_returns r, customer c WHERE
  r.customer_sk = c.customer_sk GROUP BY c.state;

SELECT reason, COUNT(*) AS n, SUM(amount) AS total, AVG(amount) AS mean FROM store_returns GROUP BY
  reason ORDER BY n DESC;

SELECT COUNT(*) FROM (SELECT DISTINCT customer_sk FROM store_sales INTERSECT SELECT DISTINCT
  customer_sk FROM web_sales) hot;

SELECT COUNT(*) FROM (SELECT customer_sk FROM store_sales EXCEPT SELECT customer_sk FROM web_sales)
  cool;

SELECT SUM(CASE WHEN s.customer_sk IS NOT NULL AND w.customer_sk IS NULL THEN 1 ELSE 0 END) AS
  store_only FROM (SELECT customer_sk FROM store_sales GROUP BY customer_sk) s LEFT JOIN (SELECT
  customer_sk FROM web_sales GROUP BY customer_sk) w ON s.customer_sk = w.customer_sk;

SELECT i.category, COUNT(*) AS n FROM item i LEFT JOIN store_sales s ON s.item_sk = i.item_sk GROUP
  BY i.category;  -- expect: NULL-extended

SELECT i.category, COUNT(s.quantity) AS n, SUM(s.quantity) AS q FROM item i LEFT JOIN store_sales s
  ON s.item_sk = i.item_sk GROUP BY i.category;

SELECT d.year, d.moy, COUNT(DISTINCT s.customer_sk) AS buyers, SUM(s.quantity) AS q FROM
  store_sales s JOIN date_dim d USING (date_sk) GROUP BY d.year, d.moy ORDER BY d.year, d.moy;

WITH m AS (SELECT d.moy, SUM(s.sales_price) AS t FROM store_sales s JOIN date_dim d USING (date_sk)
  WHERE d.year = 2025 GROUP BY d.moy) SELECT moy, t, SUM(t) OVER (ORDER BY moy) AS ytd, AVG(t) OVER
  (ORDER BY moy ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM m ORDER BY moy;

WITH m AS (SELECT i.category, SUM(s.sales_price) AS t FROM store_sales s JOIN item i USING
  (item_sk) GROUP BY i.category) SELECT category, t, t / (SELECT SUM(t) FROM m) AS share FROM m
  WHERE t > (SELECT AVG(t) FROM m);

SELECT i.category, STDDEV_SAMP(s.quantity) / AVG(s.quantity) AS cov FROM store_sales s JOIN item i
  USING (item_sk) GROUP BY i.category;

SELECT c.gender, c.dependants, COUNT(*) AS cnt1, AVG(c.dependants) AS a, MAX(c.dependants) AS m,
  SUM(c.dependants) AS s FROM customer c GROUP BY c.gender, c.dependants;

SELECT channel, COUNT(*) AS n, SUM(p) AS total FROM (SELECT 'store' AS channel, sales_price AS p
  FROM store_sales UNION ALL SELECT 'web' AS channel, sales_price AS p FROM web_sales) t GROUP BY
  channel;

SELECT channel, category, SUM(p) AS total FROM (SELECT 'store' AS channel, item_sk, sales_price AS
  p FROM store_sales UNION ALL SELECT 'web' AS channel, item_sk, sales_price AS p FROM web_sales) t
  JOIN item i ON i.item_sk = t.item_sk GROUP BY ROLLUP (channel, category);

SELECT COUNT(*) AS repeaters FROM (SELECT customer_sk, COUNT(*) AS n FROM store_sales GROUP BY
  customer_sk HAVING COUNT(*) BETWEEN 3 AND 7) dj;

SELECT n, COUNT(*) AS people FROM (SELECT customer_sk, COUNT(*) AS n FROM store_sales GROUP BY
  customer_sk) t GROUP BY n ORDER BY n;

SELECT AVG(LEAST(spent, 5000)) AS mean_spent FROM (SELECT customer_sk, SUM(sales_price * quantity)
  AS spent FROM store_sales GROUP BY customer_sk) t;

SELECT c.customer_sk, SUM(s.net_profit) FROM customer c JOIN store_sales s USING (customer_sk)
  GROUP BY c.customer_sk ORDER BY 2 DESC LIMIT 100;  -- expect: reveals ids

SELECT ticket, COUNT(*) FROM store_sales GROUP BY ticket HAVING COUNT(*) > 5;

SELECT c.birth_year, c.state FROM customer c WHERE c.state
  = 'TN' LIMIT 100;  -- expect: individual rows

SELECT FLOOR((2026 - birth_year) / 10) * 10 AS decade, COUNT(*) AS n FROM customer GROUP BY decade
  ORDER BY decade;

SELECT state, gender, COUNT(*) AS n, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY state) AS
  pct FROM customer GROUP BY state, gender;

SELECT state, education, n FROM (SELECT state, education, COUNT(*) AS n, RANK() OVER (PARTITION BY
  state ORDER BY COUNT(*) DESC) AS r FROM customer GROUP BY state, education) t WHERE r = 1;

SELECT x.state, x.n - y.n AS difference FROM (SELECT state, COUNT(*) AS n FROM customer WHERE
  gender = 'F' GROUP BY state) x FULL JOIN (SELECT state, COUNT(*) AS n FROM customer WHERE gender
  = 'M' GROUP BY state) y ON x.state = y.state;

SELECT year, SUM(n) AS n FROM (SELECT d.year, d.qoy, COUNT(*) AS n FROM store_sales s JOIN date_dim
  d USING (date_sk) GROUP BY d.year, d.qoy) t GROUP BY year;

SELECT COALESCE(i.class, 'none') AS class, SUM(s.quantity) AS q FROM store_sales s JOIN item i
  USING (item_sk) GROUP BY 1 ORDER BY q DESC LIMIT 3;

SELECT category, MAX(current_price) AS dearest FROM item GROUP BY category ORDER BY dearest DESC;

SELECT CASE WHEN quantity <= 20 THEN 'few' WHEN quantity <= 60 THEN 'some' ELSE 'many' END AS size,
  COUNT(*) AS n, SUM(net_profit) AS p FROM store_sales GROUP BY size;

SELECT AVG(n) FROM (SELECT d.date, COUNT(*) AS n FROM store_sales s JOIN date_dim d USING (date_sk)
  WHERE d.year = 2026 AND d.moy = 1 GROUP BY d.date) t;

SELECT COUNT(*) AS n FROM store_sales s JOIN customer c ON c.customer_sk = s.customer_sk AND
  c.birth_year < 1980 LEFT JOIN store_returns r ON r.customer_sk = s.customer_sk AND r.item_sk =
  s.item_sk WHERE r.amount IS NULL;
