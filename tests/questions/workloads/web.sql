SELECT COUNT(*) FROM hits;

SELECT COUNT(*) FROM hits WHERE adv_engine_id <> 0;

SELECT SUM(adv_engine_id), COUNT(*), AVG(width) FROM hits;

SELECT COUNT(DISTINCT user_id) FROM hits;

SELECT COUNT(DISTINCT search_phrase) FROM hits;

SELECT MIN(event_date), MAX(event_date) FROM hits;

SELECT adv_engine_id, COUNT(*) FROM hits WHERE adv_engine_id <> 0 GROUP BY adv_engine_id ORDER BY
  COUNT(*) DESC;

SELECT region_id, COUNT(DISTINCT user_id) AS u FROM hits GROUP BY region_id ORDER BY u DESC LIMIT
  10;

SELECT region_id, SUM(adv_engine_id), COUNT(*) AS c, AVG(width), COUNT(DISTINCT user_id) FROM hits
  GROUP BY region_id ORDER BY c DESC LIMIT 10;

SELECT phone_model, COUNT(DISTINCT user_id) AS u FROM hits WHERE phone_model <> '' GROUP BY
  phone_model ORDER BY u DESC LIMIT 10;

SELECT os, phone_model, COUNT(DISTINCT user_id) AS u FROM hits WHERE phone_model <> '' GROUP BY os,
  phone_model ORDER BY u DESC LIMIT 10;

SELECT search_phrase, COUNT(*) AS c FROM hits WHERE search_phrase <> '' GROUP BY search_phrase
  ORDER BY c DESC LIMIT 10;

SELECT search_engine_id, search_phrase, COUNT(*) AS c FROM hits WHERE search_phrase <> '' GROUP BY
  search_engine_id, search_phrase ORDER BY c DESC LIMIT 10;

SELECT EXTRACT(minute FROM event_time) AS m, COUNT(*) FROM hits GROUP BY m ORDER BY COUNT(*) DESC
  LIMIT 10;

SELECT COUNT(*) FROM hits WHERE url LIKE '%google%';

SELECT search_phrase, MIN(load_ms), COUNT(*) AS c FROM hits WHERE url LIKE '%google%' AND
  search_phrase <> '' GROUP BY search_phrase ORDER BY c DESC LIMIT 10;

SELECT SUM(width), SUM(width + 1), SUM(width + 2), SUM(width + 3) FROM hits;

SELECT search_engine_id, client_ip % 100 AS net, COUNT(*) AS c, SUM(is_refresh), AVG(width) FROM
  hits WHERE search_phrase <> '' GROUP BY search_engine_id, net ORDER BY c DESC LIMIT 10;

SELECT url, COUNT(*) AS c FROM hits GROUP BY url ORDER BY c DESC LIMIT 10;

SELECT 1, url, COUNT(*) AS c FROM hits GROUP BY 1, url ORDER BY c DESC LIMIT 10;

SELECT url, COUNT(*) AS views FROM hits WHERE counter_id = 62 AND event_date >= '2026-07-01' AND
  event_date <= '2026-07-31' AND is_refresh = 0 AND url <> '' GROUP BY url ORDER BY views DESC
  LIMIT 10;

SELECT url, COUNT(*) AS views FROM hits WHERE counter_id = 62 AND is_link <> 0 GROUP BY url ORDER
  BY views DESC LIMIT 10 OFFSET 1000;

SELECT search_engine_id, adv_engine_id, CASE WHEN (search_engine_id = 0 AND adv_engine_id = 0) THEN
  referer ELSE '' END AS src, url AS dst, COUNT(*) AS views FROM hits WHERE counter_id = 62 GROUP
  BY search_engine_id, adv_engine_id, src, dst ORDER BY views DESC LIMIT 10;

SELECT url_hash, event_date, COUNT(*) AS views FROM hits WHERE counter_id = 62 AND is_refresh = 0
  GROUP BY url_hash, event_date ORDER BY views DESC LIMIT 10;

SELECT width, height, COUNT(*) AS views FROM hits WHERE counter_id = 62 AND is_refresh = 0 GROUP BY
  width, height ORDER BY views DESC LIMIT 10;

SELECT DATE_TRUNC('minute', event_time) AS m, COUNT(*) AS views FROM hits WHERE counter_id = 62 AND
  event_date >= '2026-07-14' AND event_date <= '2026-07-15' GROUP BY DATE_TRUNC('minute',
  event_time) ORDER BY DATE_TRUNC('minute', event_time) LIMIT 10;

SELECT counter_id, AVG(STRLEN(url)) AS l, COUNT(*) AS c FROM hits WHERE url <> '' GROUP BY
  counter_id HAVING COUNT(*) > 100 ORDER BY l DESC LIMIT 25;  -- expect: STRLEN(url) needs bounds

SELECT counter_id, AVG(LEAST(LENGTH(url), 200)) AS l, COUNT(*) AS c FROM hits WHERE url <> '' GROUP
  BY counter_id HAVING COUNT(*) > 10 ORDER BY l DESC LIMIT 25;

SELECT REGEXP_REPLACE(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, COUNT(*) AS c FROM
  hits WHERE referer <> '' GROUP BY k HAVING COUNT(*) > 10 ORDER BY c DESC LIMIT 25;

SELECT REGEXP_EXTRACT(url, '^https?://([^/]+)', 1) AS host, COUNT(DISTINCT user_id) AS u FROM hits
  GROUP BY host ORDER BY u DESC LIMIT 5;

SELECT client_ip - client_ip % 65536 AS net, COUNT(*) AS c FROM hits GROUP BY net ORDER BY c DESC
  LIMIT 10;

SELECT COUNT(*), COUNT(DISTINCT user_id), COUNT(DISTINCT url) FROM hits WHERE title LIKE '%news%'
  OR title LIKE '%sport%' OR title LIKE '%video%';

SELECT EXTRACT(HOUR FROM event_time) AS h, COUNT(*), COUNT(DISTINCT user_id) FROM hits GROUP BY h
  ORDER BY h;

SELECT DATE_TRUNC('hour', event_time) AS h, COUNT(*) FROM hits GROUP BY h ORDER BY h LIMIT 100;

SELECT EXTRACT(DOW FROM event_date) AS d, COUNT(*), COUNT(DISTINCT user_id) FROM hits GROUP BY d
  ORDER BY d;

SELECT event_date, SUM(CASE WHEN is_mobile THEN 1 ELSE 0 END) AS m, SUM(1 - is_refresh) AS fresh,
  COUNT(DISTINCT user_id) AS u FROM hits GROUP BY event_date ORDER BY event_date;

SELECT COUNT(*) FROM hits WHERE is_mobile = 1;

SELECT COUNT(*) FROM hits WHERE counter_id = '8';

SELECT COUNT(*) FROM hits WHERE LOWER(title) LIKE '%games%';

SELECT SUBSTRING(url, 1, 20) AS prefix, COUNT(*), COUNT(DISTINCT user_id) FROM hits WHERE url <> ''
  GROUP BY prefix ORDER BY 2 DESC LIMIT 25;

SELECT browser, COUNT(*) FROM hits WHERE title <> '' AND POSITION('news' IN title) > 0 GROUP BY
  browser ORDER BY 2 DESC LIMIT 25;

SELECT LENGTH(url) AS l, COUNT(*), COUNT(DISTINCT user_id) FROM hits WHERE url <> '' GROUP BY l
  HAVING COUNT(*) > 20 ORDER BY 2 DESC LIMIT 25;

SELECT region_id, AVG(CASE WHEN adv_engine_id > 0 THEN 1.0 ELSE 0.0 END) AS adv_rate, COUNT(*) AS c
  FROM hits GROUP BY region_id HAVING COUNT(*) > 100 ORDER BY adv_rate DESC LIMIT 25;

SELECT os, COUNT(*) FILTER (WHERE is_mobile) AS m, COUNT(*) FILTER (WHERE NOT is_mobile) AS d FROM
  hits GROUP BY os ORDER BY m + d DESC LIMIT 25;

SELECT CASE WHEN adv_engine_id = 0 AND search_engine_id = 0 THEN 'organic' WHEN adv_engine_id > 0
  THEN 'ad' ELSE 'search' END AS src, COUNT(*) AS c, COUNT(DISTINCT user_id) AS u FROM hits GROUP
  BY src ORDER BY c DESC;

SELECT * FROM (SELECT url, COUNT(*) AS c, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) AS rn FROM
  hits WHERE url <> '' GROUP BY url) t WHERE rn <= 25;

SELECT event_date, COUNT(DISTINCT user_id) AS c, AVG(COUNT(DISTINCT user_id)) OVER (ORDER BY
  event_date ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS ma3 FROM hits GROUP BY event_date ORDER
  BY event_date;

SELECT os, browser, COUNT(*) AS c, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER (PARTITION BY os) AS pct
  FROM hits GROUP BY os, browser HAVING COUNT(*) > 10 ORDER BY os, c DESC;

SELECT event_date, region_id, COUNT(*) AS c, ROW_NUMBER() OVER (PARTITION BY event_date ORDER BY
  COUNT(*) DESC) AS rn FROM hits GROUP BY event_date, region_id QUALIFY rn <= 5 ORDER BY
  event_date, rn;

WITH heavy AS (SELECT user_id FROM hits GROUP BY user_id HAVING COUNT(*) > 3) SELECT COUNT(*) FROM
  heavy;

WITH cnt AS (SELECT browser, COUNT(*) AS c FROM hits GROUP BY browser) SELECT MIN(c), MAX(c),
  AVG(c), COUNT(*) FROM cnt WHERE c > 10;

WITH t AS (SELECT event_date, COUNT(DISTINCT user_id) AS c FROM hits GROUP BY event_date) SELECT
  event_date, c, c - LAG(c) OVER (ORDER BY event_date) AS diff FROM t ORDER BY event_date;

SELECT COUNT(*) FROM hits WHERE user_id IN (SELECT user_id FROM hits WHERE search_phrase <> ''
  GROUP BY user_id HAVING COUNT(*) > 2);

SELECT 'mobile' AS kind, COUNT(*) AS c FROM hits WHERE is_mobile UNION ALL SELECT 'desktop',
  COUNT(*) FROM hits WHERE NOT is_mobile;

SELECT a.os, a.mob, b.desk FROM (SELECT os, COUNT(*) AS mob FROM hits WHERE is_mobile GROUP BY os)
  a JOIN (SELECT os, COUNT(*) AS desk FROM hits WHERE NOT is_mobile GROUP BY os) b ON a.os = b.os
  ORDER BY a.mob + b.desk DESC;

SELECT DISTINCT browser FROM hits;

SELECT DISTINCT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY search_phrase LIMIT 100;

SELECT FLOOR(LOG(GREATEST(width, 1))) AS lw, COUNT(*) FROM hits GROUP BY lw ORDER BY lw;

SELECT c.site, COUNT(*) AS n, AVG(h.load_ms) AS ms FROM hits h JOIN counters c USING (counter_id)
  GROUP BY c.site;

SELECT c.site, COUNT(h.url) AS n FROM counters c LEFT JOIN hits h ON h.counter_id = c.counter_id
  GROUP BY c.site;

SELECT COUNT(*) FROM hits WHERE counter_id IN (SELECT counter_id FROM counters WHERE site = 'shop');

SELECT QUANTILE(load_ms, [0.5, 0.9, 0.99]) AS q FROM hits;

SELECT APPROX_COUNT_DISTINCT(user_id) FROM hits;

SELECT COUNT(*) FROM hits WHERE event_date >= CURRENT_DATE - INTERVAL 7 DAY;

SELECT TOP 5 browser, COUNT(*) AS n FROM hits GROUP BY browser ORDER BY n DESC;

SELECT COUNT(*) FROM hits WHERE 1 = 0;

SELECT user_id, COUNT(*) FROM hits GROUP BY user_id ORDER
  BY COUNT(*) DESC LIMIT 10;  -- expect: reveals ids

SELECT user_id, search_phrase, COUNT(*) FROM hits GROUP BY
  user_id, search_phrase LIMIT 10;  -- expect: reveals ids

SELECT user_id FROM hits WHERE user_id = 435090932899640449;  -- expect: reveals ids

SELECT * FROM hits WHERE url LIKE '%google%' ORDER BY
  event_time LIMIT 10;  -- expect: individual rows

SELECT search_phrase FROM hits WHERE search_phrase <> ''
  ORDER BY event_time LIMIT 10;  -- expect: individual rows

SELECT url, event_time FROM hits ORDER BY event_time LIMIT
  25 OFFSET 1000;  -- expect: individual rows

SELECT watch_id, client_ip, COUNT(*) AS c FROM hits GROUP BY watch_id, client_ip ORDER BY c DESC
  LIMIT 10;

SELECT client_ip, client_ip - 1, client_ip - 2, COUNT(*) AS c FROM hits GROUP BY client_ip,
  client_ip - 1, client_ip - 2 ORDER BY c DESC LIMIT 10;

SELECT search_phrase, MIN(url), MAX(title), COUNT(*) AS c FROM hits WHERE title LIKE '%games%' AND
  search_phrase <> '' GROUP BY search_phrase ORDER BY c DESC LIMIT 10;

SELECT browser, UPPER(browser) AS b, COUNT(DISTINCT user_id) FROM hits GROUP BY browser, b;
