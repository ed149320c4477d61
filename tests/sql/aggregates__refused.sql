SELECT SUM(weight) FROM visits
--> Unbounded: SUM(weight) needs bounds

SELECT AVG(weight * visits_before) FROM visits
--> Unbounded: weight * visits_before needs bounds

SELECT SUM(visits_before) FROM visits
--> Unbounded: SUM(visits_before) needs bounds

SELECT AVG(city) FROM visits
--> Unsupported: AVG needs numbers, but this is text

SELECT SUM(NULL) FROM visits
--> Unsupported: The argument is always NULL

SELECT COUNT(NULL) FROM visits
--> Unsupported: The argument is always NULL, and COUNT ignores NULL

SELECT SUM(0) FROM visits
--> Unsupported: This sum is always 0

SELECT AVG(3) FROM visits
--> Unsupported: AVG of a constant is always the same

SELECT SUM(Cost * 1e-300) FROM visits
--> Unbounded: The bounds are too wide for an exact sum

SELECT COUNT(age, city) FROM visits
--> Unsupported: COUNT takes one column

SELECT SUM(DISTINCT city) FROM visits
--> Unsupported: SUM needs numbers, but this is text

SELECT SUM(COUNT(*)) FROM visits
--> Unsupported: COUNT is not allowed inside an aggregate

SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3
--> Unsupported: COUNT is not allowed inside WHERE

SELECT COUNT(*) FROM visits GROUP BY SUM(age)
--> Unsupported: SUM is not allowed inside GROUP BY

SELECT SUM(age ORDER BY age) FROM visits
--> Unsupported: ORDER BY inside an aggregate has no effect

SELECT ANY_VALUE(city) FROM visits
--> Unsupported: This aggregate is not supported

SELECT STRING_AGG(city, ',') FROM visits
--> Unsupported: This aggregate is not supported

SELECT ARRAY_AGG(city) FROM visits
--> Unsupported: This aggregate is not supported

SELECT ARG_MAX(city, age) FROM visits
--> Unsupported: This aggregate is not supported

SELECT FIRST(city) FROM visits
--> Unsupported: This aggregate is not supported

SELECT region FROM visits GROUP BY region
--> Unsupported: This SELECT has no aggregate, so it would return individual rows

SELECT COUNT(DISTINCT age, region) FROM visits
--> Unsupported: DISTINCT takes one column here

SELECT COUNT(DISTINCT NULL) FROM visits
--> Unsupported: The argument is always NULL, and COUNT ignores NULL

SELECT VAR_POP(city) FROM visits
--> Unsupported: VAR_POP needs numbers, but this is text

SELECT STDDEV(weight) FROM visits
--> Unbounded: STDDEV(weight) needs bounds

SELECT VAR_POP(3) FROM visits
--> Unsupported: VAR_POP of a constant is always the same

SELECT CORR(age, weight) FROM visits
--> Unbounded: CORR(age, weight) needs bounds

SELECT CORR(age) FROM visits
--> Unsupported: Syntax error here

SELECT CORR(age, 3) FROM visits
--> Unsupported: CORR of a constant is always the same

SELECT SUM(age) FILTER (WHERE age) FROM visits
--> Unsupported: FILTER needs a condition, but this is integer

SELECT SUM(age, method => 'smooth') FROM visits
--> Unsupported: SUM takes no method and no bound

SELECT AVG(age, contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group is only for SUM and COUNT

SELECT COUNT(DISTINCT age, contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group is only for SUM and COUNT

SELECT SUM(age, contribution_bounds_per_group => (5, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group must have its lower bound first

SELECT SUM(age, contribution_bounds_per_group => (0, 0)) FROM visits
--> Unsupported: This sum is always 0

SELECT SUM(age, contribution_bounds_per_group => (0, 0.2)) FROM visits
--> Unsupported: contribution_bounds_per_group is too narrow or too wide for the grid of this column

SELECT SUM(age, contribution_bounds_per_group => (0, 1e39)) FROM visits
--> Unsupported: contribution_bounds_per_group is too narrow or too wide for the grid of this column

SELECT MEDIAN(age) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: WITHIN GROUP is only for PERCENTILE_CONT, PERCENTILE_DISC and MODE

SELECT PERCENTILE_CONT(0.5) FROM visits
--> Unsupported: PERCENTILE_CONT needs a column and a fraction

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age, Cost) FROM visits
--> Unsupported: WITHIN GROUP is only for PERCENTILE_CONT, PERCENTILE_DISC and MODE

SELECT PERCENTILE_CONT(age) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: The fraction of a quantile must be a literal number

SELECT QUANTILE(age) FROM visits
--> Unsupported: QUANTILE needs a column and a fraction

SELECT QUANTILE(age, 0) FROM visits
--> Unsupported: The fraction of a quantile must be between 0 and 1

SELECT QUANTILE(age, 1) FROM visits
--> Unsupported: The fraction of a quantile must be between 0 and 1

SELECT QUANTILE(age, 1.5) FROM visits
--> Unsupported: The fraction of a quantile must be between 0 and 1

SELECT QUANTILE(age, -0.5) FROM visits
--> Unsupported: The fraction of a quantile must be a literal number

SELECT QUANTILE(age, region) FROM visits
--> Unsupported: The fraction of a quantile must be a literal number

SELECT MAX(age, 3) FROM visits
--> Unsupported: MAX takes one column

SELECT MODE() FROM visits
--> Unsupported: MODE needs an argument

SELECT MEDIAN() FROM visits
--> Unsupported: Syntax error here

SELECT LEAST(age, 3, method => 'smooth') FROM visits
--> Unsupported: Only aggregates take named arguments

SELECT SUM(age) FILTER (WHERE COUNT(*) > 3) FROM visits
--> Unsupported: COUNT is not allowed inside an aggregate

SELECT AVG(MEDIAN(age)) FROM visits
--> Unsupported: MEDIAN is not allowed inside an aggregate

SELECT ANY_VALUE(age) FILTER (WHERE smoker) FROM visits
--> Unsupported: This aggregate is not supported

SELECT MODE(region) WITHIN GROUP (ORDER BY region) FROM visits
--> Unsupported: With WITHIN GROUP the column goes after ORDER BY alone

SELECT COUNT(* EXCLUDE (age)) FROM visits
--> Unsupported: EXCEPT is not supported in this aggregate

SELECT PERCENTILE_CONT(age, 0.5) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: With WITHIN GROUP the column goes after ORDER BY alone

SELECT QUANTILE(age, 0.04761904) FROM visits
--> Unsupported: The fraction of a quantile has at most six decimals

SELECT REGR_SLOPE(city, age) FROM visits
--> Unsupported: REGR_SLOPE needs numbers, but this is text

SELECT REGR_SLOPE(weight, age) FROM visits
--> Unbounded: REGR_SLOPE(weight, age) needs bounds

SELECT REGR_COUNT(Cost, age, contribution_bounds_per_group => (0, 3)) FROM visits
--> Unsupported: contribution_bounds_per_group is only for SUM and COUNT

SELECT KURTOSIS(DISTINCT age) FROM visits
--> Unsupported: DISTINCT is only allowed in COUNT, SUM and AVG
