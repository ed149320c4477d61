SELECT SUM(LOG(age)) FROM visits
--> Unbounded: SUM(LOG(age)) needs bounds: it has none where a divisor or the argument of LN may be 0

SELECT SUM(EXP(age)) FROM visits
--> Unsupported: EXP is not supported

SELECT SUM(RANDOM()) FROM visits
--> Unsupported: Random functions are not supported

SELECT SUM(ROUND(Cost, age)) FROM visits
--> Unsupported: ROUND takes a literal number of decimals from -12 to 12

SELECT SUM(ROUND(Cost, 13)) FROM visits
--> Unsupported: ROUND takes a literal number of decimals from -12 to 12

SELECT SUM(ROUND(Cost, 1.5)) FROM visits
--> Unsupported: ROUND takes a literal number of decimals from -12 to 12

SELECT SUM(LN(age)) FROM visits
--> Unbounded: SUM(LN(age)) needs bounds: it has none where a divisor or the argument of LN may be 0

SELECT SUM(ABS(city)) FROM visits
--> Unsupported: ABS needs numbers, but this is text

SELECT SUM(FLOOR(weight)) FROM visits
--> Unbounded: FLOOR(weight) needs bounds

SELECT SUM(SIN(age)) FROM visits
--> Unsupported: This function is not supported

SELECT SUM(FLOOR()) FROM visits
--> Unsupported: The SELECT is incomplete

SELECT SUM(LEAST(age, NULL)) FROM visits
--> Unsupported: One operand is NULL, so this is always NULL

SELECT SUM(POWER(age, -1)) FROM visits
--> Unsupported: POWER takes an exponent of 0.5, or a whole one from 1 to 8

SELECT SUM(POWER(age, 9)) FROM visits
--> Unsupported: POWER takes an exponent of 0.5, or a whole one from 1 to 8

SELECT SUM(POWER(age, age)) FROM visits
--> Unsupported: POWER takes an exponent of 0.5, or a whole one from 1 to 8

SELECT COUNT(*) FROM visits GROUP BY WIDTH_BUCKET(age, 10, 0, 5)
--> Unsupported: WIDTH_BUCKET takes literal ends, the lower one first, and a number of buckets up to 10000

SELECT COUNT(*) FROM visits GROUP BY WIDTH_BUCKET(age, 0, 10, visits_before)
--> Unsupported: WIDTH_BUCKET takes literal ends, the lower one first, and a number of buckets up to 10000

SELECT SUM(TRUNC(Cost, 20)) FROM visits
--> Unsupported: TRUNC takes a literal number of decimals from -12 to 12

SELECT AVG(LOG(age, 2)) FROM visits
--> Unsupported: LOG takes a literal base above 0 that is not 1

SELECT AVG(LOG(1, age)) FROM visits
--> Unsupported: LOG takes a literal base above 0 that is not 1

SELECT AVG(LOG(age)) FROM visits
--> Unbounded: AVG(LOG(age)) needs bounds: it has none where a divisor or the argument of LN may be 0
