SELECT REGEXP_REPLACE(url, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, COUNT(*) AS c FROM calls WHERE url <> '' GROUP BY k
--> where url <> ''
--> k0: REGEXP_REPLACE(url, '^https?://(?:www\.)?([^/]+)/[^\x{a}]*$', '\1') (text, as they occur)
--> a0: rows (integer)
--> k = k0 (text)
--> c = a0 (integer)

SELECT REGEXP_EXTRACT(url, '(a|b)+://([^/]+)', 2) AS host, COUNT(*) FROM calls GROUP BY host
--> k0: REGEXP_EXTRACT(url, '[a-b]+://([^/]+)', 1) (text, as they occur)
--> a0: rows (integer)
--> host = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, 'a|b|\d') AND url ~ '(?:x){2,3}?' AND url !~ '^\.$' AND REGEXP_FULL_MATCH(url, '[^a-c]*') AND url SIMILAR TO '(a|b)c'
--> where REGEXP_MATCHES(url, '[0-9a-b]') AND REGEXP_MATCHES(url, '^[^a-c]*$') AND REGEXP_MATCHES(url, '^[a-b]c$') AND REGEXP_MATCHES(url, 'x{2,3}?') AND NOT REGEXP_MATCHES(url, '^\.$')
--> a0: rows (integer)
--> count = a0 (integer)

SELECT REGEXP_REPLACE(region, '[a-m]', '-', 'g') AS r, COUNT(*) FROM visits GROUP BY r
--> k0: REGEXP_REPLACE(region, '[a-m]', '-', 'g') (text, 4 values)
--> a0: rows (integer)
--> r = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, 'a(b)c', '\0\\\1.', 'g') = REGEXP_EXTRACT(url, 'a{1}(b){0,}[\S\s]') AND REGEXP_MATCHES('abc', 'b')
--> where REGEXP_EXTRACT(url, 'ab*[\x{0}-\x{10ffff}]', 0) = REGEXP_REPLACE(url, 'a(b)c', '\0\\\1.', 'g')
--> a0: rows (integer)
--> count = a0 (integer)
