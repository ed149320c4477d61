SELECT MEDIAN(weight) FROM visits
--> Unbounded: weight has no bounds, and what is chosen is chosen between them

SELECT MAX(day) FROM visits
--> Unbounded: day has no bounds, and what is chosen is chosen between them

SELECT MIN(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unbounded: n has no bounds, and what is chosen is chosen between them

SELECT MAX(city) FROM visits
--> Unsupported: MAX works on numbers and dates, and this is text

SELECT MAX(smoker) FROM visits
--> Unsupported: MAX works on numbers and dates, and this is boolean

SELECT MEDIAN(3) FROM visits
--> Unsupported: This can only have one value

SELECT MEDIAN(NULL) FROM visits
--> Unsupported: This is always NULL, and NULL is never chosen

SELECT MODE(city) FROM visits
--> Unbounded: MODE chooses among values that are known beforehand, and those of this are not declared

SELECT MODE(Cost) FROM visits
--> Unbounded: MODE chooses among values that are known beforehand, and those of this are not declared

SELECT MODE(CASE WHEN smoker THEN 'x' END) FROM visits
--> Unsupported: This can only have one value

SELECT MEDIAN(age, method => 'nonsense') FROM visits
--> Unsupported: MEDIAN has no method 'nonsense'

SELECT MODE(region, method => 'smooth') FROM visits
--> Unsupported: MODE has no method 'smooth'

SELECT MEDIAN(age, method => 'propose') FROM visits
--> Unsupported: method => 'propose' tests a bound, and none is proposed

SELECT MEDIAN(age, bound => 3) FROM visits
--> Unsupported: A bound is proposed to the method 'propose' only

SELECT MEDIAN(age, method => 'smooth', bound => 3) FROM visits
--> Unsupported: A bound is proposed to the method 'propose' only

SELECT MEDIAN(age, method => 'propose', bound => 0) FROM visits
--> Unsupported: The bound that is proposed is greater than 0

SELECT MEDIAN(age, method => 'propose', bound => -1) FROM visits
--> Unsupported: The bound that is proposed is greater than 0

SELECT MEDIAN(age, contribution_bounds_per_group => (0, 3)) FROM visits
--> Unsupported: contribution_bounds_per_group goes with SUM and COUNT

SELECT MEDIAN(SQRT(weight)) FROM visits
--> Unbounded: weight has no bounds, and arithmetic needs them

SELECT MEDIAN(Cost * 1e-300) FROM visits
--> Unbounded: The bounds of this are too wide to choose between them

SELECT MEDIAN(age, bracket => 0) FROM visits
--> Unsupported: A bracket lies around the share of its quantile, between 0 and 1

SELECT MEDIAN(age, bracket => -0.1) FROM visits
--> Unsupported: A bracket lies around the share of its quantile, between 0 and 1

SELECT MEDIAN(age, bracket => 0.5) FROM visits
--> Unsupported: A bracket lies around the share of its quantile, between 0 and 1

SELECT QUANTILE(age, 0.9, bracket => 0.1) FROM visits
--> Unsupported: A bracket lies around the share of its quantile, between 0 and 1

SELECT MEDIAN(age, bracket => 0.0000001) FROM visits
--> Unsupported: A share has at most six decimals

SELECT MEDIAN(age, method => 'smooth', bracket => 0.1) FROM visits
--> Unsupported: How far off the method 'smooth' is depends on the data

SELECT MEDIAN(taken, bracket => 0.1) FROM labs
--> Unsupported: A bracket is for numbers

SELECT MAX(age, bracket => 0.1) FROM visits
--> Unsupported: MAX has no bracket

SELECT SUM(age, bracket => 0.1) FROM visits
--> Unsupported: SUM has no bracket
