SELECT COUNT(*) FROM visits WHERE age = 30 AND Cost > 12.5 AND Cost < 1e3 AND city = 'it''s' AND smoker = TRUE
--> where Cost < 1000.0 AND age = 30 AND city = 'it''s' AND Cost > 12.5 AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE Cost >= .5 AND Cost <= 5.
--> where Cost <= 5.0 AND Cost >= 0.5
--> a0: rows (integer)
--> count = a0 (integer)

SELECT 'all' AS who, COUNT(*), NULL AS nothing, 4611686018427387904 AS large FROM visits
--> a0: rows (integer)
--> who = 'all' (text)
--> count = a0 (integer)
--> nothing = NULL (integer)
--> large = 4611686018427387904 (integer)

SELECT COUNT(*) /* a comment */ FROM visits -- another
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM visits WHERE city = 'a' 'b'
--> where city = 'ab'
--> a0: rows (integer)
--> count = a0 (integer)
