SELECT SUM(age, clipped => TRUE) FROM visits
--> Unsupported: clipped => TRUE counts who is outside of contribution_bounds_per_group, and there are none

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => 1) FROM visits
--> Unsupported: clipped is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => 'yes') FROM visits
--> Unsupported: clipped is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0, 50), outer_bounds_per_group => (0, 500)) FROM visits
--> Unsupported: outer_bounds_per_group says how far out those can be whom clipped => TRUE counts

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 40)) FROM visits
--> Unsupported: outer_bounds_per_group lie around contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (5, 400)) FROM visits
--> Unsupported: outer_bounds_per_group lie around contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), AVG(age) FROM visits
--> Unsupported: clipped => TRUE looks at the sums of each person, and AVG(age) at rows

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), COUNT(*) FROM visits
--> Unsupported: clipped => TRUE looks at the sums of each person, and COUNT(*) at rows

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE), MEDIAN(age) FROM visits
--> Unsupported: clipped => TRUE looks at the sums of each person, and MEDIAN(age) at rows

SELECT SUM(age, contribution_bounds_per_group => (0, 100000000000000000), clipped => TRUE) FROM visits
--> Unsupported: contribution_bounds_per_group is too wide to count who is outside

SELECT AVG(age, contribution_bounds_per_group => (0, 50), clipped => TRUE) FROM visits
--> Unsupported: contribution_bounds_per_group goes with SUM and COUNT

SELECT AVG(age, clipped => TRUE) FROM visits
--> Unsupported: clipped => TRUE counts who is outside of contribution_bounds_per_group, and there are none

SELECT SUM(age, contribution_bounds_per_group => (0, 50)) AS s, DP_CLIPPED(s) FROM visits
--> Unsupported: Who is outside the bounds of this was not counted

SELECT COUNT(*) FROM visits WHERE DP_CLIPPED(age) > 3
--> Unsupported: An interval has no place inside WHERE

SELECT DP_CLIPPED(age) FROM visits
--> Unsupported: Intervals are those of aggregates

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE) FROM visits
--> Unbounded: This has no bounds, so nobody knows how far out the rows of a person may be

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 1e17)) FROM visits
--> Unsupported: outer_bounds_per_group is too wide to count who is outside

SELECT SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 100)) AS a, SUM(visits_before, contribution_bounds_per_group => (0, 50), clipped => TRUE) AS b FROM visits
--> Unbounded: This has no bounds, so nobody knows how far out the rows of a person may be
