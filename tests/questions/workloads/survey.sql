SELECT COUNT(*) FROM people;

SELECT COUNT(pid) FROM people;

SELECT COUNT(DISTINCT pid) FROM people;

SELECT SUM(age) FROM people;

SELECT COUNT(*), VAR(age) AS var_age FROM people;

SELECT married, educ, AVG(age) FROM people GROUP BY married, educ;

SELECT p.married, AVG(age) AS aa FROM people AS p GROUP BY married;

SELECT TOP 5 educ, AVG(income) FROM people GROUP BY educ;

SELECT COUNT(married), AVG(age) FROM people;

SELECT 3 AS three, p.married, educ, AVG(income) FROM people AS p GROUP BY educ, married;

SELECT educ FROM people GROUP BY educ;

SELECT SUM(age) AS age FROM people;

SELECT (SUM(age)) AS age FROM people;

SELECT SUM(age) * 1 AS age FROM people;

SELECT AVG(income) + 3 AS a, AVG(income) * 2 AS b, SQRT(AVG(income)) AS c FROM people;

SELECT PI() AS pi, POWER(AVG(age), 2) AS p FROM people;

SELECT SUM(age) FROM people GROUP BY married, CASE WHEN age > 90 THEN 1 ELSE 0 END;

SELECT STD(age), STDEV(income), VARIANCE(age), STDDEV_POP(age) FROM people;

SELECT sex, COUNT(*) AS n FROM people WHERE age > 30 AND income > 20000 GROUP BY sex ORDER BY n
  DESC;

SELECT sex AS gender, AVG(age) AS age FROM people GROUP BY gender ORDER BY age DESC;

SELECT educ, COUNT(*) AS n FROM people GROUP BY educ HAVING n > 30 OR educ = 1 ORDER BY n DESC,
  educ;

SELECT educ, n FROM (SELECT educ, COUNT(*) AS n FROM people GROUP BY educ) t WHERE n > 20;

SELECT SUM(n) FROM (SELECT educ, COUNT(*) AS n FROM people GROUP BY educ) t;

SELECT a.sex, a.n, b.m FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex) a JOIN (SELECT
  sex, AVG(age) AS m FROM people GROUP BY sex) b ON a.sex = b.sex;

SELECT married = 1 AS m, COUNT(*) FROM people GROUP BY m;

SELECT COUNT(*) FROM people WHERE married = 1 AND educ = '8';

SELECT COUNT(*) FROM people WHERE sex IN ('f') AND NOT married;

SELECT COUNT(*) FROM people WHERE age BETWEEN 20 AND 29 OR age BETWEEN 40 AND 49;

SELECT CASE WHEN age < 18 THEN 'minor' ELSE 'adult' END AS grown, AVG(income) AS i FROM people
  GROUP BY grown;

SELECT CASE sex WHEN 'f' THEN 'female' ELSE 'male' END AS s, COUNT(*) FROM people GROUP BY s;

SELECT IIF(age > 65, 'old', 'young') AS a, COUNT(*) FROM people GROUP BY a;

SELECT CAST(age / 10 AS INTEGER) AS decade, COUNT(*) FROM people GROUP BY decade;

SELECT FLOOR(income / 10000) AS band, COUNT(*) FROM people GROUP BY band ORDER BY band;

SELECT UPPER(region) AS r, COUNT(*) FROM people GROUP BY r;

SELECT CONCAT(region, '-', sex) AS k, COUNT(*) FROM people GROUP BY k;

SELECT job, COUNT(*) AS n FROM people GROUP BY job;

SELECT DISTINCT job FROM people;

SELECT DISTINCT region, sex FROM people ORDER BY region, sex;

SELECT region, AVG(income) AS mean, MEDIAN(income) AS med, QUANTILE(income, 0.25) AS q1,
  QUANTILE(income, 0.75) AS q3 FROM people GROUP BY region;

SELECT MIN(age), MAX(age) FROM people;

SELECT MIN(region), MAX(region) FROM people;

SELECT MODE(educ) FROM people;

SELECT CORR(age, income), COVAR_SAMP(age, income) FROM people;

SELECT REGR_SLOPE(income, age) AS slope, REGR_INTERCEPT(income, age) AS base, REGR_COUNT(income,
  age) AS n FROM people;

SELECT SKEWNESS(age), KURTOSIS(age) FROM people;

SELECT d.degree, COUNT(*) AS n, AVG(p.income) AS i FROM people p JOIN degrees d ON d.educ = p.educ
  GROUP BY d.degree;

SELECT d.degree, COUNT(p.age) AS n FROM degrees d LEFT JOIN people p ON p.educ = d.educ GROUP BY
  d.degree;

SELECT COUNT(*) FROM people WHERE educ IN (SELECT educ FROM degrees WHERE degree = 'college');

SELECT kind, SUM(amount) AS total, AVG(amount) AS mean, COUNT(DISTINCT pid) AS people FROM spending
  GROUP BY kind;

SELECT DATE_TRUNC('month', day) AS month, SUM(amount) AS total FROM spending GROUP BY month ORDER
  BY month;

SELECT p.sex, s.kind, SUM(s.amount) AS total FROM people p JOIN spending s ON s.pid = p.pid GROUP
  BY p.sex, s.kind;

SELECT p.sex, AVG(t.total) AS mean FROM people p JOIN (SELECT pid, LEAST(SUM(amount), 3000) AS
  total FROM spending GROUP BY pid) t ON t.pid = p.pid GROUP BY p.sex;

SELECT COUNT(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM spending s WHERE s.pid = p.pid);

SELECT COUNT(*) FROM people LEFT JOIN spending ON spending.pid = people.pid WHERE spending.amount
  IS NULL;

SELECT region, COUNT(*) AS n, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM people) AS share FROM people
  GROUP BY region;

SELECT region, sex, COUNT(*) AS n FROM people GROUP BY ROLLUP (region, sex);

SELECT region, sex, AVG(income) AS i FROM people GROUP BY GROUPING SETS ((region, sex), (region),
  ());

SELECT region, n, RANK() OVER (ORDER BY n DESC) AS r FROM (SELECT region, COUNT(*) AS n FROM people
  GROUP BY region) t;

WITH t AS (SELECT region, AVG(income) AS i FROM people GROUP BY region) SELECT MAX(i) - MIN(i) AS
  gap FROM t;

WITH t AS (SELECT * FROM people WHERE age > 18), u AS (SELECT region, COUNT(*) AS n FROM t GROUP BY
  region) SELECT * FROM u ORDER BY n DESC LIMIT 2;

SELECT COUNT(*) FROM (SELECT age + 1 AS a, income FROM people WHERE sex = 'f') t WHERE a > 30;

SELECT AVG(x) FROM (SELECT 2 * age + 1 AS x FROM people) t;

SELECT sex, SUM(CASE WHEN income > 50000 THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS pct FROM people
  GROUP BY sex;

SELECT COUNT(*) FILTER (WHERE married) AS m, COUNT(*) FILTER (WHERE NOT married) AS u FROM people;

SELECT COUNT_IF(age > 65) AS old FROM people;

SELECT SUM(DISTINCT educ), COUNT(DISTINCT educ) FROM people;

SELECT SELF.region, COUNT(*) FROM people AS SELF GROUP BY SELF.region ORDER BY 2 DESC;

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5, delta = 1e-12) region, COUNT(*) AS n FROM
  people GROUP BY region;

SELECT SUM(amount, contribution_bounds_per_group => (0, 500)) AS s FROM spending;

SELECT AVG(income) AS i, DP_INTERVAL_LOW(i) AS low, DP_INTERVAL_HIGH(i) AS high FROM people;

SELECT GREATEST(SUM(age), 0) AS s, LEAST(AVG(age), 100) AS a FROM people;

SELECT ROUND(AVG(age), 1), CEIL(AVG(age)), FLOOR(AVG(age)), SIGN(AVG(age)), ABS(AVG(age)) FROM
  people;

SELECT region, COUNT(*) AS n FROM people GROUP BY region
  ORDER BY RANDOM();  -- expect: not deterministic

SELECT pid, AVG(income) FROM people GROUP BY pid;  -- expect: reveals ids

SELECT age, income FROM people;  -- expect: individual rows

SELECT * FROM people;  -- expect: individual rows

SELECT age FROM people GROUP BY married;  -- expect: invalid SQL

SELECT AVG(job) FROM people;  -- expect: invalid SQL

SELECT COUNT(*) FROM nowhere;  -- expect: invalid SQL

SELECT COUNT(*) FROM people a JOIN people b ON a.region = b.region;  -- expect: needs a cap

INSERT INTO people VALUES (1);  -- expect: not a question
