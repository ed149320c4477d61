SELECT SUM(LOG(age)) FROM visits
--> Unsupported: LOG means different things in different databases

SELECT SUM(EXP(age)) FROM visits
--> Unsupported: EXP is not read

SELECT SUM(SIGN(age)) FROM visits
--> Unsupported: SIGN is not read

SELECT SUM(TRUNC(Cost)) FROM visits
--> Unsupported: TRUNC is not read

SELECT SUM(RANDOM()) FROM visits
--> Unsupported: Chance comes with the noise, not with the question

SELECT SUM(ROUND(Cost, age)) FROM visits
--> Unsupported: ROUND takes a number of decimals from -12 to 12

SELECT SUM(ROUND(Cost, 13)) FROM visits
--> Unsupported: ROUND takes a number of decimals from -12 to 12

SELECT SUM(ROUND(Cost, 1.5)) FROM visits
--> Unsupported: ROUND takes a number of decimals from -12 to 12

SELECT SUM(LN(age)) FROM visits
--> Unbounded: This may become arbitrarily large, since something is divided by what may be 0 (or is the logarithm of it)

SELECT SUM(ABS(city)) FROM visits
--> Unsupported: ABS needs numbers, but this is text

SELECT SUM(FLOOR(weight)) FROM visits
--> Unbounded: weight has no bounds, and arithmetic needs them

SELECT SUM(SIN(age)) FROM visits
--> Unsupported: This function is not read

SELECT SUM(FLOOR()) FROM visits
--> Unsupported: Something is missing here

SELECT SUM(LEAST(age, NULL)) FROM visits
--> Unsupported: With NULL in it, this is always NULL
