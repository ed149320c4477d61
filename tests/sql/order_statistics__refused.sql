SELECT MEDIAN(at, bracket => 0.1) FROM calls
--> Unsupported: A bracket needs numbers, but this is a timestamp

SELECT MEDIAN(weight) FROM visits
--> Unbounded: MEDIAN(weight) needs bounds

SELECT MAX(day) FROM visits
--> Unbounded: MAX(day) needs bounds

SELECT MIN(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id)
--> Unbounded: MIN(n) needs bounds

SELECT MAX(city) FROM visits
--> Unsupported: MAX needs numbers or dates, but this is text

SELECT MEDIAN(3) FROM visits
--> Unsupported: This has only one possible value

SELECT MEDIAN(NULL) FROM visits
--> Unsupported: The argument is always NULL

SELECT MODE(city) FROM visits
--> Unbounded: MODE needs a column with declared values

SELECT MODE(Cost) FROM visits
--> Unbounded: MODE needs a column with declared values

SELECT MODE(CASE WHEN smoker THEN 'x' END) FROM visits
--> Unsupported: This has only one possible value

SELECT MEDIAN(age, method => 'nonsense') FROM visits
--> Unsupported: MEDIAN has no method 'nonsense'

SELECT MODE(region, method => 'smooth') FROM visits
--> Unsupported: MODE has no method 'smooth'

SELECT MEDIAN(age, method => 'propose') FROM visits
--> Unsupported: method => 'propose' needs a bound

SELECT MEDIAN(age, bound => 3) FROM visits
--> Unsupported: bound is only for the method 'propose'

SELECT MEDIAN(age, method => 'smooth', bound => 3) FROM visits
--> Unsupported: bound is only for the method 'propose'

SELECT MEDIAN(age, method => 'propose', bound => 0) FROM visits
--> Unsupported: bound must be greater than 0

SELECT MEDIAN(age, method => 'propose', bound => -1) FROM visits
--> Unsupported: bound must be greater than 0

SELECT MEDIAN(age, contribution_bounds_per_group => (0, 3)) FROM visits
--> Unsupported: contribution_bounds_per_group is only for SUM and COUNT

SELECT MEDIAN(SQRT(weight)) FROM visits
--> Unbounded: SQRT(weight) needs bounds

SELECT MEDIAN(Cost * 1e-300) FROM visits
--> Unbounded: The bounds are too wide for MEDIAN

SELECT MEDIAN(age, bracket => 0) FROM visits
--> Unsupported: The bracket around a quantile must stay between 0 and 1

SELECT MEDIAN(age, bracket => -0.1) FROM visits
--> Unsupported: The bracket around a quantile must stay between 0 and 1

SELECT MEDIAN(age, bracket => 0.5) FROM visits
--> Unsupported: The bracket around a quantile must stay between 0 and 1

SELECT QUANTILE(age, 0.9, bracket => 0.1) FROM visits
--> Unsupported: The bracket around a quantile must stay between 0 and 1

SELECT MEDIAN(age, bracket => 0.0000001) FROM visits
--> Unsupported: The fraction of a quantile has at most six decimals

SELECT MEDIAN(age, method => 'smooth', bracket => 0.1) FROM visits
--> Unsupported: A bracket needs the method 'exponential', not 'smooth'

SELECT MEDIAN(taken, bracket => 0.1) FROM labs
--> Unsupported: A bracket needs numbers, but this is a date

SELECT MAX(age, bracket => 0.1) FROM visits
--> Unsupported: MAX takes no bracket

SELECT SUM(age, bracket => 0.1) FROM visits
--> Unsupported: SUM takes no bracket

SELECT MIN(city) FROM visits
--> Unsupported: MIN needs numbers or dates, but this is text

SELECT BOOL_OR(age) FROM visits
--> Unsupported: AND, OR and NOT need conditions, but this is an integer

SELECT DP_INTERVAL_LOW(m), MIN(region) AS m FROM visits
--> Unsupported: This expression has no interval

SELECT MIN(booked) FROM calls
--> Unbounded: MIN(booked) needs bounds

SELECT AVG(at) FROM calls
--> Unsupported: AVG needs numbers, but this is timestamp

SELECT QUANTILE(age, [0.25, 0.5]) + 1 FROM visits
--> Unsupported: The fraction of a quantile must be a literal number

SELECT QUANTILE(age, []) FROM visits
--> Unsupported: The fraction of a quantile must be a literal number
