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

SELECT SUM(DISTINCT age) FROM visits
--> Unsupported: DISTINCT stands inside COUNT only

SELECT SUM(COUNT(*)) FROM visits
--> Unsupported: COUNT has no place inside an aggregate

SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3
--> Unsupported: COUNT has no place inside WHERE

SELECT COUNT(*) FROM visits GROUP BY SUM(age)
--> Unsupported: SUM has no place inside GROUP BY

SELECT SUM(age ORDER BY age) FROM visits
--> Unsupported: An order inside an aggregate changes nothing that is answered

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

SELECT COUNT(DISTINCT age, region) FROM visits
--> Unsupported: DISTINCT takes one column here

SELECT COUNT(DISTINCT NULL) FROM visits
--> Unsupported: This is always NULL, and NULL is never counted

SELECT VAR_POP(city) FROM visits
--> Unsupported: VAR_POP adds numbers, and this is text

SELECT VAR_POP(smoker) FROM visits
--> Unsupported: VAR_POP adds numbers, and this is a condition

SELECT STDDEV(weight) FROM visits
--> Unbounded: weight has no bounds, so one person could move this arbitrarily far

SELECT VAR_POP(3) FROM visits
--> Unsupported: VAR_POP of a constant is known beforehand

SELECT CORR(age, weight) FROM visits
--> Unbounded: weight has no bounds, so one person could move this arbitrarily far

SELECT CORR(age) FROM visits
--> Unsupported: This does not read as SQL from here on

SELECT CORR(age, 3) FROM visits
--> Unsupported: CORR of a constant is known beforehand

SELECT SUM(age) FILTER (WHERE age) FROM visits
--> Unsupported: FILTER wants a condition, and this is integer

SELECT SUM(age, method => 'smooth') FROM visits
--> Unsupported: SUM has no choice of method

SELECT AVG(age, contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group goes with SUM and COUNT

SELECT COUNT(DISTINCT age, contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group goes with SUM and COUNT

SELECT SUM(age, contribution_bounds_per_group => (5, 1)) FROM visits
--> Unsupported: The lower one of contribution_bounds_per_group comes first

SELECT SUM(age, contribution_bounds_per_group => (0, 0)) FROM visits
--> Unsupported: Nobody can move this sum: its values can only be 0

SELECT SUM(age, contribution_bounds_per_group => (0, 0.2)) FROM visits
--> Unsupported: contribution_bounds_per_group is too narrow or too wide for the steps of this column

SELECT SUM(age, contribution_bounds_per_group => (0, 1e39)) FROM visits
--> Unsupported: contribution_bounds_per_group is too narrow or too wide for the steps of this column

SELECT MEDIAN(age) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: WITHIN GROUP goes with PERCENTILE_CONT and MODE

SELECT PERCENTILE_CONT(0.5) FROM visits
--> Unsupported: PERCENTILE_CONT needs a column and a share

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age, Cost) FROM visits
--> Unsupported: WITHIN GROUP goes with PERCENTILE_CONT and MODE

SELECT PERCENTILE_CONT(age) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: The share of a quantile is a number that is written out

SELECT QUANTILE(age) FROM visits
--> Unsupported: QUANTILE needs a column and a share

SELECT QUANTILE(age, 0) FROM visits
--> Unsupported: The share of a quantile lies between 0 and 1

SELECT QUANTILE(age, 1) FROM visits
--> Unsupported: The share of a quantile lies between 0 and 1

SELECT QUANTILE(age, 1.5) FROM visits
--> Unsupported: The share of a quantile lies between 0 and 1

SELECT QUANTILE(age, -0.5) FROM visits
--> Unsupported: The share of a quantile is a number that is written out

SELECT QUANTILE(age, region) FROM visits
--> Unsupported: The share of a quantile is a number that is written out

SELECT QUANTILE(age, [0.1, 0.5]) FROM visits
--> Unsupported: Lists, structs and maps are not read

SELECT APPROX_QUANTILE(age, 0.5) FROM visits
--> Unsupported: This aggregate is not answered

SELECT MAX(age, 3) FROM visits
--> Unsupported: MAX takes one column

SELECT MODE() FROM visits
--> Unsupported: An aggregate needs something to work on

SELECT MEDIAN() FROM visits
--> Unsupported: This does not read as SQL from here on

SELECT LEAST(age, 3, method => 'smooth') FROM visits
--> Unsupported: Named arguments are those of aggregates

SELECT SUM(age) FILTER (WHERE COUNT(*) > 3) FROM visits
--> Unsupported: COUNT has no place inside an aggregate

SELECT AVG(MEDIAN(age)) FROM visits
--> Unsupported: MEDIAN has no place inside an aggregate

SELECT ANY_VALUE(age) FILTER (WHERE smoker) FROM visits
--> Unsupported: This aggregate is not answered

SELECT MODE(region) WITHIN GROUP (ORDER BY region) FROM visits
--> Unsupported: The column stands once, behind ORDER BY

SELECT COUNT(* EXCLUDE (age)) FROM visits
--> Unsupported: EXCEPT is not read in this aggregate

SELECT PERCENTILE_CONT(age, 0.5) WITHIN GROUP (ORDER BY age) FROM visits
--> Unsupported: The column stands once, behind ORDER BY

SELECT QUANTILE(age, 0.04761904) FROM visits
--> Unsupported: A share has at most six decimals
