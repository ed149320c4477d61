SELECT tag, COUNT(*) FROM (SELECT UNNEST(string_split(city, ',')[1:2]) AS tag FROM visits WHERE smoker) GROUP BY tag
--> union
-->   columns u0: REGEXP_EXTRACT(city, '^([^,]*)', 1), u1: smoker
-->   where city IS NOT NULL
-->   visits
-->   columns u0: REGEXP_EXTRACT(city, '^[^,]*,([^,]*)', 1), u1: smoker
-->   where city LIKE '%,%'
-->   visits
--> of visits: 3 groups, 5 rows
--> where u1
--> k0: u0 (text, as they occur)
--> a0: rows (integer)
--> tag = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits v, UNNEST(string_split(v.city, ', ')[1:2]) AS t(tag) WHERE tag IN ('a', 'b')
--> union
-->   columns u0: REGEXP_EXTRACT(city, '^((?:[^,]|,+[^ ,])*,*)(?:, |$)', 1)
-->   where city IS NOT NULL
-->   visits
-->   columns u0: REGEXP_EXTRACT(city, '^(?:[^,]|,+[^ ,])*,*, ((?:[^,]|,+[^ ,])*,*)(?:, |$)', 1)
-->   where city LIKE '%, %'
-->   visits
--> of visits: 1 groups, 5 rows
--> where u0 IN ('a', 'b')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT tag, COUNT(*) FROM visits LEFT JOIN UNNEST(string_split(city, ';')[1:1]) AS tag ON TRUE GROUP BY tag
--> k0: REGEXP_EXTRACT(city, '^([^;]*)', 1) (text, as they occur)
--> a0: rows (integer)
--> tag = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM (SELECT city AS place FROM visits) s, UNNEST(string_split(place, '%')[1:2]) AS t
--> union
-->   columns 
-->   where REGEXP_MATCHES(city, '%')
-->   visits
-->   columns 
-->   where city IS NOT NULL
-->   visits
--> of visits: 1 groups, 5 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT part, COUNT(*) FROM calls, UNNEST(string_split(url, '/')) AS t(part) GROUP BY part
--> union
-->   columns u0: REGEXP_EXTRACT(url, '^([^/]*)', 1)
-->   where url IS NOT NULL
-->   calls
-->   columns u0: REGEXP_EXTRACT(url, '^[^/]*/([^/]*)', 1)
-->   where url LIKE '%/%'
-->   calls
--> of calls: 4 groups, 3 rows
--> k0: u0 (text, as they occur)
--> a0: rows (integer)
--> part = k0 (text)
--> count = a0 (integer)
