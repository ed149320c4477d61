SELECT SUM(LOG(age)) FROM visits
--> Unsupported: LOG is ambiguous: databases disagree on its base

SELECT SUM(EXP(age)) FROM visits
--> Unsupported: EXP is not supported

SELECT SUM(SIGN(age)) FROM visits
--> Unsupported: SIGN is not supported

SELECT SUM(TRUNC(Cost)) FROM visits
--> Unsupported: TRUNC is not supported

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
