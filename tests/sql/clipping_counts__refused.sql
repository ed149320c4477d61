SELECT SUM(DISTINCT age, clipped => TRUE) FROM visits
--> Unsupported: clipped => TRUE measures rows, and DISTINCT counts values

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => 1) FROM visits
--> Unsupported: Invalid value for clipped

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => 'yes') FROM visits
--> Unsupported: Invalid value for clipped

SELECT SUM(age, contribution_bounds_per_group => (0, 50), outer_bounds_per_group => (0, 500)) FROM visits
--> Unsupported: outer_bounds_per_group needs contribution_bounds_per_group and clipped => TRUE

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 40)) FROM visits
--> Unsupported: outer_bounds_per_group must contain contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (5, 400)) FROM visits
--> Unsupported: outer_bounds_per_group must contain contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), AVG(age) FROM visits
--> Unsupported: AVG(age) cannot be combined with clipped => TRUE, which works on one sum per unit

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), COUNT(*) FROM visits
--> Unsupported: COUNT(*) cannot be combined with clipped => TRUE, which works on one sum per unit

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), MEDIAN(age) FROM visits
--> Unsupported: MEDIAN(age) cannot be combined with clipped => TRUE, which works on one sum per unit

SELECT SUM(age, contribution_bounds_per_group => (0, 100000000000000000), clipped => TRUE) FROM visits
--> Unsupported: contribution_bounds_per_group is too wide for clipped => TRUE

SELECT AVG(age, contribution_bounds_per_group => (0, 50), clipped => TRUE) FROM visits
--> Unsupported: contribution_bounds_per_group is only for SUM and COUNT

SELECT COUNT(DISTINCT region, clipped => TRUE) FROM visits
--> Unsupported: clipped => TRUE measures rows, and DISTINCT counts values

SELECT SUM(age, contribution_bounds_per_group => (0, 50)) AS s, DP_CLIPPED(s) FROM visits
--> Unsupported: DP_CLIPPED needs a sum with bounds of its own and clipped => TRUE

SELECT COUNT(*) FROM visits WHERE DP_CLIPPED(age) > 3
--> Unsupported: A confidence interval is not allowed inside WHERE

SELECT DP_CLIPPED(age) FROM visits
--> Unsupported: This function takes an aggregate

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE) FROM visits
--> Unbounded: clipped => TRUE needs outer bounds, because this column has no bounds

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 1e17)) FROM visits
--> Unsupported: outer_bounds_per_group is too wide for clipped => TRUE

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 100)) AS a, SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE) AS b FROM visits
--> Unbounded: clipped => TRUE needs outer bounds, because this column has no bounds

SELECT SUM(age, clipped => TRUE, outer_bounds_per_group => (0, 500)) FROM visits
--> Unsupported: outer_bounds_per_group needs contribution_bounds_per_group and clipped => TRUE

SELECT SUM(age, clipped => TRUE) AS s, DP_CLIPPED(s) FROM visits
--> Unsupported: DP_CLIPPED needs a sum with bounds of its own and clipped => TRUE
