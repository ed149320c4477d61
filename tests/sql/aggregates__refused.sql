SELECT SUM(weight) FROM visits
--> Unbounded: weight has no bounds, so one person could move this arbitrarily far

SELECT AVG(weight * visits_before) FROM visits
--> Unbounded: weight and visits_before have no bounds, and arithmetic needs them

SELECT SUM(visits_before) FROM visits
--> Unbounded: visits_before has no bounds, so one person could move this arbitrarily far

SELECT SUM(smoker) FROM visits
--> Unsupported: SUM adds numbers, and this is a condition

SELECT AVG(city) FROM visits
--> Unsupported: AVG adds numbers, and this is text

SELECT SUM(NULL) FROM visits
--> Unsupported: This is always NULL, and NULL is never added

SELECT COUNT(NULL) FROM visits
--> Unsupported: This is always NULL, and NULL is never counted

SELECT SUM(0) FROM visits
--> Unsupported: Nobody can move this sum: its values can only be 0

SELECT AVG(3) FROM visits
--> Unsupported: The mean of a constant is that constant

SELECT SUM(Cost * 1e-300) FROM visits
--> Unbounded: The bounds of this are too wide to add it up exactly

SELECT COUNT(age, city) FROM visits
--> Unsupported: COUNT takes one column

SELECT COUNT() FROM visits
--> Unsupported: An aggregate needs something to work on

SELECT COUNT(DISTINCT city) FROM visits
--> Unsupported: DISTINCT inside an aggregate is not answered

SELECT SUM(DISTINCT age) FROM visits
--> Unsupported: DISTINCT inside an aggregate is not answered

SELECT SUM(COUNT(*)) FROM visits
--> Unsupported: COUNT has no place inside an aggregate

SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3
--> Unsupported: COUNT has no place inside WHERE

SELECT COUNT(*) FROM visits GROUP BY SUM(age)
--> Unsupported: SUM has no place inside GROUP BY

SELECT SUM(age) FILTER (WHERE smoker) FROM visits
--> Unsupported: FILTER is not read

SELECT COUNT_IF(smoker) FROM visits
--> Unsupported: COUNT_IF is not answered

SELECT SUM(age ORDER BY age) FROM visits
--> Unsupported: An order inside an aggregate changes nothing that is answered

SELECT SUM(age, contribution_bounds_per_group => (0, 100)) FROM visits
--> Unsupported: Named arguments are not read

SELECT MEDIAN(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT MIN(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT MAX(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT VAR_POP(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT STDDEV(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT QUANTILE_CONT(age, 0.5) FROM visits
--> Unsupported: This aggregate is not answered

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT MODE(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT CORR(age, Cost) FROM visits
--> Unsupported: This aggregate is not answered

SELECT ANY_VALUE(city) FROM visits
--> Unsupported: This aggregate is not answered

SELECT STRING_AGG(city, ',') FROM visits
--> Unsupported: This aggregate is not answered

SELECT ARRAY_AGG(city) FROM visits
--> Unsupported: This aggregate is not answered

SELECT APPROX_COUNT_DISTINCT(city) FROM visits
--> Unsupported: This aggregate is not answered

SELECT ARG_MAX(city, age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT FIRST(city) FROM visits
--> Unsupported: This aggregate is not answered

SELECT BOOL_AND(smoker) FROM visits
--> Unsupported: This aggregate is not answered

SELECT KURTOSIS(age) FROM visits
--> Unsupported: This aggregate is not answered

SELECT region FROM visits GROUP BY region
--> Unsupported: This asks for no aggregate, and rows are never shown
