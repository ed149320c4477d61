SELECT region, SUM(Cost, contribution_bounds_per_group => (0, 500), clipped => TRUE) AS s, DP_CLIPPED(s) AS n FROM visits GROUP BY region
--> each person, c1: f0 total of c0 from 0 to 1000000 steps of 1/100
-->   columns c0: Cost, c1: region
-->   visits
--> of visits: 3 groups, 1 rows
--> k0: c1 (text, 4 values)
--> a0: total of f0 from 0 to 50000 steps of 1/100 (real)
--> a1: values of CASE WHEN f0 < -0.005 OR f0 > 500.005 THEN 1 ELSE NULL END (integer)
--> region = k0 (text)
--> s = a0 (real)
--> n = a1 (integer)

SELECT SUM(age, contribution_bounds_per_group => (10, 50), clipped => TRUE, outer_bounds_per_group => (0, 900)) FILTER (WHERE smoker) AS s, COUNT(*, contribution_bounds_per_group => (0, 3)) FROM visits
--> each person: f0 total of c0 from 0 to 110 steps of 1, f1 total of c1 from 1 to 1 steps of 1
-->   columns c0: CASE WHEN smoker THEN age ELSE NULL END, c1: 1
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: total of f0 from 10 to 50 steps of 1 (integer)
--> a1: values of CASE WHEN f0 <= 9 OR f0 >= 51 THEN 1 ELSE NULL END (integer)
--> a2: total of f1 from 0 to 3 steps of 1 (integer)
--> s = a0 (integer)
--> count = a2 (integer)

SELECT SUM(score, contribution_bounds_per_group => (-1, 2), clipped => TRUE) AS s, DP_CLIPPED(SUM(score, contribution_bounds_per_group => (-1, 2), clipped => TRUE)) AS n, DP_INTERVAL_HIGH(s) FROM answers
--> a0: total of score from -1 to 2 steps of 1 (integer)
--> a1: values of CASE WHEN score <= -2 OR score >= 3 THEN 1 ELSE NULL END (integer)
--> s = a0 (integer)
--> n = a1 (integer)
--> column3 = a0.high (integer)

SELECT COUNT(*, contribution_bounds_per_group => (0, 3), clipped => TRUE), SUM(age, contribution_bounds_per_group => (0, 50), clipped => FALSE) FROM visits
--> each person: f0 total of c0 from 1 to 1 steps of 1, f1 total of c1 from 0 to 110 steps of 1
-->   columns c0: 1, c1: age
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: total of f0 from 0 to 3 steps of 1 (integer)
--> a1: values of CASE WHEN f0 <= -1 OR f0 >= 4 THEN 1 ELSE NULL END (integer)
--> a2: total of f1 from 0 to 50 steps of 1 (integer)
--> count = a0 (integer)
--> sum = a2 (integer)

SELECT SUM(t, contribution_bounds_per_group => (0, 20), clipped => TRUE) FROM (SELECT patient_id, LEAST(COUNT(*), 100) AS t FROM visits GROUP BY patient_id)
--> each person: f0 rows
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: total of LEAST(f0, 100) from 0 to 20 steps of 1 (integer)
--> a1: values of CASE WHEN LEAST(f0, 100) <= -1 OR LEAST(f0, 100) >= 21 THEN 1 ELSE NULL END (integer)
--> sum = a0 (integer)

SELECT region, SUM(t, contribution_bounds_per_group => (0, 20), clipped => TRUE) FROM (SELECT patient_id, region, city, LEAST(COUNT(*), 100) AS t FROM visits GROUP BY patient_id, region, city) GROUP BY region
--> each person, c1: f0 total of c0 from 0 to 100 steps of 1
-->   columns c0: LEAST(f0, 100), c1: c1
-->   each person, c0, c1: f0 rows
-->     columns c0: city, c1: region
-->     visits
--> of visits: 3 groups, 1 rows
--> k0: c1 (text, 4 values)
--> a0: total of f0 from 0 to 20 steps of 1 (integer)
--> a1: values of CASE WHEN f0 <= -1 OR f0 >= 21 THEN 1 ELSE NULL END (integer)
--> region = k0 (text)
--> sum = a0 (integer)

SELECT SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE) AS a, SUM(age, contribution_bounds_per_group => (0, 50), clipped => TRUE, outer_bounds_per_group => (0, 70)) AS b, SUM(age, contribution_bounds_per_group => (0, 50)) AS c, DP_CLIPPED(b) FROM visits
--> each person: f0 total of c0 from 0 to 110 steps of 1
-->   columns c0: age
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: total of f0 from 0 to 50 steps of 1 (integer)
--> a1: values of CASE WHEN f0 <= -1 OR f0 >= 51 THEN 1 ELSE NULL END (integer)
--> a2: total of f0 from 0 to 50 steps of 1 (integer)
--> a3: total of f0 from 0 to 50 steps of 1 (integer)
--> a = a0 (integer)
--> b = a2 (integer)
--> c = a3 (integer)
--> column4 = a1 (integer)

SELECT AVG(age, clipped => TRUE), COUNT(*) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> a1: rows (integer)
--> avg = a0 (real)
--> count = a1 (integer)
