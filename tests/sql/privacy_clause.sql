SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1, delta = 1e-12, max_groups_contributed = 2) COUNT(*) FROM visits
--> options: 1/10, 1/1000000000000, 2
--> a0: rows (integer)
--> count = a0 (integer)

select with differential_privacy options (EPSILON=.5) count(*) from visits
--> options: 1/2, None, None
--> a0: rows (integer)
--> count = a0 (integer)

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS() COUNT(*) FROM visits
--> a0: rows (integer)
--> count = a0 (integer)

EXPLAIN PRIVACY SELECT COUNT(*) FROM visits;
--> explain
--> a0: rows (integer)
--> count = a0 (integer)

explain privacy -- really
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 3, delta = 0.000001) COUNT(*) AS differential_privacy FROM visits;;
--> explain
--> options: None, 1/1000000, 3
--> a0: rows (integer)
--> differential_privacy = a0 (integer)
