SELECT COUNT(*) FROM posts WHERE post_type = 1;

SELECT post_type, COUNT(*) AS n, AVG(score) AS mean_score FROM posts GROUP BY post_type;

SELECT EXTRACT(YEAR FROM created) AS y, COUNT(*) AS questions FROM posts WHERE post_type = 1 GROUP
  BY y ORDER BY y;

SELECT DATE_TRUNC('month', created) AS month, COUNT(*) AS posts, COUNT(DISTINCT owner_id) AS
  authors FROM posts GROUP BY month ORDER BY month;

SELECT u.location, COUNT(*) AS n FROM users u WHERE u.location IS NOT NULL GROUP BY u.location
  ORDER BY n DESC LIMIT 10;

SELECT CASE WHEN reputation >= 10000 THEN 'high' WHEN reputation >= 1000 THEN 'medium' ELSE 'low'
  END AS level, COUNT(*) AS users, AVG(views) AS mean_views FROM users GROUP BY level ORDER BY
  users DESC;

WITH PostStats AS (SELECT owner_id, COUNT(*) AS PostCount, SUM(score) AS TotalScore FROM posts
  GROUP BY owner_id) SELECT COUNT(*) AS authors, AVG(LEAST(PostCount, 50)) AS MeanPosts FROM
  PostStats;

WITH PostStats AS (SELECT owner_id, COUNT(*) AS PostCount FROM posts GROUP BY owner_id) SELECT CASE
  WHEN PostCount > 5 THEN 'prolific' ELSE 'occasional' END AS kind, COUNT(*) AS n FROM PostStats
  GROUP BY kind;

WITH UserStats AS (SELECT u.id AS UserId, u.reputation, COUNT(p.id) AS PostCount FROM users u LEFT
  JOIN posts p ON u.id = p.owner_id GROUP BY u.id, u.reputation) SELECT COUNT(*) AS n,
  AVG(reputation) AS r FROM UserStats WHERE PostCount = 0;

WITH RankedPosts AS (SELECT post_type, EXTRACT(year FROM created) AS y, COUNT(*) AS n, RANK() OVER
  (PARTITION BY post_type ORDER BY COUNT(*) DESC) AS rk FROM posts GROUP BY post_type, y) SELECT
  post_type, y, n FROM RankedPosts WHERE rk <= 2 ORDER BY post_type, rk;

WITH Monthly AS (SELECT DATE_TRUNC('month', created) AS m, COUNT(*) AS n FROM posts GROUP BY m)
  SELECT m, n, n - LAG(n, 1) OVER (ORDER BY m) AS delta FROM Monthly ORDER BY m;

SELECT b.name, COUNT(*) AS awarded, COUNT(DISTINCT b.user_id) AS people FROM badges b GROUP BY
  b.name ORDER BY awarded DESC;

SELECT class, name, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY
  class), 1) AS pct FROM badges GROUP BY class, name ORDER BY class, pct DESC;

SELECT COUNT(*) FROM users u WHERE EXISTS (SELECT 1 FROM badges b WHERE b.user_id = u.id AND
  b.class = 1) AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.owner_id = u.id);

SELECT COUNT(*) FROM users WHERE id IN (SELECT owner_id FROM posts WHERE score > 10) OR id IN
  (SELECT user_id FROM badges WHERE class = 1);

SELECT vt.label, COUNT(*) AS n FROM votes v JOIN vote_types vt ON v.vote_type = vt.vote_type GROUP
  BY vt.label ORDER BY n DESC;

SELECT COALESCE(vt.label, 'other') AS label, COUNT(*) AS n FROM votes v LEFT JOIN vote_types vt ON
  v.vote_type = vt.vote_type GROUP BY 1;

SELECT SUM(CASE WHEN vote_type = 2 THEN 1 ELSE 0 END) AS up, SUM(CASE WHEN vote_type = 3 THEN 1
  ELSE 0 END) AS down, SUM(CASE WHEN vote_type = 2 THEN 1 ELSE 0 END) * 1.0 / NULLIF(COUNT(*), 0)
  AS share FROM votes;

SELECT tag, COUNT(*) AS n FROM (SELECT UNNEST(string_split(tags, '|')) AS tag FROM posts WHERE
  post_type = 1) t GROUP BY tag ORDER BY n DESC LIMIT 10;

SELECT COUNT(*) FROM posts WHERE tags LIKE '%sql%' AND tags NOT LIKE '%mysql%';

SELECT EXTRACT(HOUR FROM created) AS h, COUNT(*) AS n FROM comments GROUP BY h ORDER BY h;

SELECT DATE_PART('dow', created) AS d, AVG(score) AS s FROM comments GROUP BY d ORDER BY d;

SELECT COUNT(*) FROM comments WHERE LOWER(text) LIKE '%thanks%';

SELECT COUNT(*) FROM posts WHERE created >= CURRENT_DATE - INTERVAL '1 year';

SELECT COUNT(*) FROM posts WHERE created >= CAST('2026-10-01 12:34:56' AS TIMESTAMP) - INTERVAL
  '30 days';

SELECT MEDIAN(reputation) AS med, QUANTILE(reputation, 0.9) AS p90 FROM users;

SELECT u.reputation > 1000 AS trusted, AVG(p.score) AS s, COUNT(*) AS n FROM users u JOIN posts p
  ON p.owner_id = u.id GROUP BY trusted;

SELECT AVG(view_count) AS v, CORR(score, view_count) AS r, REGR_SLOPE(score, view_count) AS slope
  FROM posts WHERE post_type = 1;

SELECT COUNT(*) AS closed, AVG(score) AS s FROM posts WHERE closed IS NOT NULL;

WITH q AS (SELECT COUNT(*) AS n FROM posts WHERE post_type = 1), a AS (SELECT COUNT(*) AS n FROM
  posts WHERE post_type = 2) SELECT a.n * 1.0 / NULLIF(q.n, 0) AS answers_per_question FROM q CROSS
  JOIN a;

SELECT 'posts' AS kind, COUNT(*) AS n FROM posts UNION ALL SELECT 'comments', COUNT(*) FROM
  comments UNION ALL SELECT 'votes', COUNT(*) FROM votes ORDER BY n DESC;

WITH Active AS (SELECT owner_id AS uid FROM posts UNION SELECT user_id AS uid FROM comments) SELECT
  COUNT(*) FROM Active;

WITH Active AS (SELECT owner_id AS uid, created FROM posts UNION ALL SELECT user_id, created FROM
  comments) SELECT DATE_TRUNC('month', created) AS m, COUNT(DISTINCT uid) AS people FROM Active
  GROUP BY m ORDER BY m;

SELECT u.location, AVG(u.reputation) AS r FROM users u GROUP BY u.location HAVING COUNT(*) > 20
  ORDER BY r DESC LIMIT 5;

SELECT COUNT(*) FROM users WHERE reputation > (SELECT AVG(reputation) FROM users);

SELECT COUNT(*) FROM posts WHERE score > (SELECT AVG(score) + 2 * STDDEV(score) FROM posts);

SELECT answer_count, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY answer_count) AS running FROM
  posts WHERE post_type = 1 GROUP BY answer_count ORDER BY answer_count;

SELECT NTILE(4) OVER (ORDER BY n) AS quartile, location, n FROM (SELECT location, COUNT(*) AS n
  FROM users GROUP BY location) t;

SELECT COUNT(DISTINCT tags) FROM posts;

SELECT MAX(score), MIN(score) FROM posts;

SELECT LENGTH(title) > 30 AS long, AVG(score) AS s FROM posts WHERE title IS NOT NULL GROUP BY long;

SELECT CASE WHEN up_votes + down_votes = 0 THEN 'none' WHEN up_votes > down_votes THEN 'kind' ELSE
  'strict' END AS mood, COUNT(*) AS n FROM users GROUP BY mood;

SELECT EXTRACT(year FROM u.created) AS cohort, COUNT(DISTINCT p.owner_id) AS posters FROM users u
  JOIN posts p ON p.owner_id = u.id GROUP BY cohort ORDER BY cohort;

SELECT b.name, AVG(u.reputation) AS r FROM badges b JOIN users u ON u.id = b.user_id GROUP BY
  b.name HAVING AVG(u.reputation) > 100 ORDER BY r DESC;

SELECT name, n, n * 1.0 / total AS share FROM (SELECT name, COUNT(*) AS n FROM badges GROUP BY
  name) b CROSS JOIN (SELECT COUNT(*) AS total FROM badges) t ORDER BY share DESC;

SELECT post_type, CASE WHEN score < 0 THEN 'bad' WHEN score < 5 THEN 'fair' ELSE 'good' END AS
  grade, COUNT(*) FROM posts GROUP BY post_type, grade ORDER BY 1, 2;

SELECT COUNT(*) FROM posts p JOIN comments c ON c.post_id = p.id;  -- expect: needs a cap

SELECT p.post_type, COUNT(*) AS votes FROM votes v JOIN posts p ON p.id = v.post_id GROUP BY
  p.post_type;  -- expect: needs a cap

SELECT u.id, u.reputation FROM users u ORDER BY
  u.reputation DESC LIMIT 10;  -- expect: individual rows

SELECT p.title, p.score FROM posts p WHERE p.score > 100
  ORDER BY p.score DESC;  -- expect: individual rows

SELECT u.id, COUNT(p.id) AS n FROM users u LEFT JOIN posts p ON p.owner_id = u.id GROUP BY u.id
  ORDER BY n DESC LIMIT 10;  -- expect: reveals ids

WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1
  FROM t WHERE n < 5) SELECT n FROM t;  -- expect: not supported

SELECT p1.title, p2.title FROM posts p1 JOIN posts p2 ON
  p1.tags = p2.tags WHERE p1.id < p2.id; -- expect: needs a cap

SELECT STRING_AGG(name, ', ') FROM badges;  -- expect: individual values

SELECT about FROM users;  -- expect: hidden column

SELECT COUNT(*) FROM posts WHERE created >= NOW() -
  INTERVAL '30 days';

SELECT AVG(LEAST((SELECT COUNT(*) FROM badges b WHERE b.user_id = u.id AND b.class = 1), 10)) AS gold
  FROM users u WHERE u.reputation > 100;

SELECT COUNT(*) FROM users u WHERE (SELECT COUNT(*) FROM posts p WHERE p.owner_id = u.id) > (SELECT
  COUNT(*) FROM comments c WHERE c.user_id = u.id);

SELECT CASE WHEN LEAST((SELECT MAX(score) FROM posts WHERE owner_id = u.id), 100) > 10 THEN 'known'
  ELSE 'unknown' END AS fame, COUNT(*) FROM users u GROUP BY fame;

SELECT vt.label, (SELECT COUNT(*) FROM votes v WHERE v.vote_type = vt.vote_type) AS n FROM
  vote_types vt ORDER BY n DESC;

WITH t AS (SELECT p.owner_id, TRIM(x.tag) AS tag FROM posts p CROSS JOIN UNNEST(string_to_array(
  p.tags, '|')) AS x(tag)) SELECT tag, COUNT(DISTINCT owner_id) AS people FROM t GROUP BY tag;

SELECT u.location, t.tag, COUNT(*) AS n FROM users u JOIN posts p ON p.owner_id = u.id, UNNEST(
  string_split(p.tags, '|')) AS t(tag) WHERE t.tag IN ('sql', 'python') GROUP BY u.location, t.tag;
