SELECT SUM(ABS(age - 50)), SUM(FLOOR(Cost)), SUM(CEIL(Cost / 3)), SUM(CEILING(Cost)), AVG(SQRT(age)), AVG(LN(GREATEST(age, 1))) FROM visits
--> a0: total of ABS(age - 50) from 0 to 60 steps of 1 (integer)
--> a1: total of FLOOR(Cost) from 0 to 10000 steps of 1 (integer)
--> a2: total of CEIL(Cost / 3) from 0 to 3334 steps of 1 (integer)
--> a3: total of CEIL(Cost) from 0 to 10000 steps of 1 (integer)
--> a4: moments of SQRT(age) from 0 to 1441792 steps of 1/131072 (real)
--> a5: moments of LN(GREATEST(age, 1)) from 0 to 1310720 steps of 1/262144 (real)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)
--> sum_4 = a3 (integer)
--> avg = a4 (real)
--> avg_2 = a5 (real)

SELECT SUM(ROUND(Cost)), SUM(ROUND(Cost, 1)), SUM(ROUND(age, 2)), SUM(ROUND(Cost, -2)), SUM(ROUND(age, 0)) FROM visits
--> a0: total of ROUND(Cost) from 0 to 10000 steps of 1 (integer)
--> a1: total of ROUND(10 * Cost) / 10 from 0 to 1280000 steps of 1/128 (real)
--> a2: total of age from 0 to 110 steps of 1 (integer)
--> a3: total of 100 * ROUND(Cost / 100) from 0 to 10000 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (real)
--> sum_3 = a2 (integer)
--> sum_4 = a3 (integer)
--> sum_5 = a2 (integer)

SELECT SUM(LEAST(age, 60)), SUM(GREATEST(age, 18, 20)), SUM(LEAST(age)) FROM visits
--> a0: total of LEAST(age, 60) from 0 to 60 steps of 1 (integer)
--> a1: total of GREATEST(age, 18, 20) from 20 to 110 steps of 1 (integer)
--> a2: total of age from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)

SELECT ROUND(AVG(age), 1), FLOOR(SUM(Cost)), SQRT(COUNT(*)), LEAST(COUNT(*), 5), ABS(SUM(age)) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 (real)
--> a1: total of Cost from 0 to 1000000 steps of 1/100 (real)
--> a2: rows (integer)
--> a3: moments of age from 0 to 110 steps of 1 (integer)
--> column1 = ROUND(a0 * 10) / 10 (real)
--> column2 = FLOOR(a1) (integer)
--> column3 = SQRT(a2) (real)
--> column4 = LEAST(a2, 5) (integer)
--> column5 = ABS(a3) (integer)

SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM visits GROUP BY decade
--> k0: 10 * FLOOR(age / 10) (integer, 12 values)
--> a0: rows (integer)
--> decade = k0 (integer)
--> count = a0 (integer)

SELECT SUM(SIGN(age - 50)), AVG(TRUNC(Cost)), AVG(TRUNC(Cost, 1)), SUM(TRUNC(age, -1)), SUM(POWER(age, 2)), AVG(POW(Cost, 0.5)), SUM(SQUARE(age)), AVG(Cost * PI()) FROM visits
--> a0: total of CASE WHEN age - 50 >= 1 THEN 1 WHEN age - 50 <= -1 THEN -1 WHEN age - 50 = 0 THEN 0 ELSE NULL END from -1 to 1 steps of 1 (integer)
--> a1: moments of CASE WHEN Cost < 0.0 THEN CEIL(Cost) ELSE FLOOR(Cost) END from 0 to 10000 steps of 1 (real)
--> a2: moments of CASE WHEN 10 * Cost < 0.0 THEN CEIL(10 * Cost) ELSE FLOOR(10 * Cost) END / 10 from 0 to 1280000 steps of 1/128 (real)
--> a3: total of CASE WHEN age / 10 < 0.0 THEN CEIL(age / 10) ELSE FLOOR(age / 10) END * 10 from 0 to 110 steps of 1 (integer)
--> a4: total of age * age from 0 to 12100 steps of 1 (integer)
--> a5: moments of SQRT(Cost) from 0 to 1654784 steps of 1/16384 (real)
--> a6: moments of 3.141592653589793 * Cost from 0 to 1000000 steps of 176855943800711/5629499534213120 (real)
--> sum = a0 (integer)
--> avg = a1 (real)
--> avg_2 = a2 (real)
--> sum_2 = a3 (integer)
--> sum_3 = a4 (integer)
--> avg_3 = a5 (real)
--> sum_4 = a4 (integer)
--> avg_4 = a6 (real)

SELECT WIDTH_BUCKET(weight, 40, 100, 6) AS bucket, COUNT(*) FROM visits GROUP BY bucket
--> k0: CASE WHEN weight < 40.0 THEN 0 WHEN weight >= 100.0 THEN 7 ELSE LEAST(1 + FLOOR((LEAST(GREATEST(weight, 40), 100) - 40) * 6 / 60), 6) END (integer, 8 values)
--> a0: rows (integer)
--> bucket = k0 (integer)
--> count = a0 (integer)

SELECT WIDTH_BUCKET(age, 0, 100, 10) AS bucket, COUNT(*) FROM visits GROUP BY bucket
--> k0: CASE WHEN age <= -1 THEN 0 WHEN age >= 100 THEN 11 ELSE LEAST(1 + FLOOR(10 * LEAST(GREATEST(age, 0), 100) / 100), 10) END (integer, 11 values)
--> a0: rows (integer)
--> bucket = k0 (integer)
--> count = a0 (integer)

SELECT SUM(SIGN(age)) FROM visits
--> a0: total of CASE WHEN age >= 1 THEN 1 WHEN age <= -1 THEN -1 WHEN age = 0 THEN 0 ELSE NULL END from -1 to 1 steps of 1 (integer)
--> sum = a0 (integer)

SELECT SUM(TRUNC(Cost)) FROM visits
--> a0: total of CASE WHEN Cost < 0.0 THEN CEIL(Cost) ELSE FLOOR(Cost) END from 0 to 10000 steps of 1 (integer)
--> sum = a0 (integer)

SELECT AVG(LOG(age + 1)), AVG(LOG10(age + 1)), AVG(LOG2(age + 1)), AVG(LOG(10, age + 1)) FROM visits
--> a0: moments of LOG10(1 + age) from 0 to 1572864 steps of 1/524288 (real)
--> a1: moments of LOG2(1 + age) from 0 to 1835008 steps of 1/262144 (real)
--> avg = a0 (real)
--> avg_2 = a0 (real)
--> avg_3 = a1 (real)
--> avg_4 = a0 (real)

SELECT AVG(LOG(1.5, age + 1)), AVG(DEGREES(age)), AVG(RADIANS(age)) FROM visits
--> a0: moments of LN(1 + age) / 0.4054651081081644 from 0 to 1616317 steps of 1/131072 (real)
--> a1: moments of 57.29577951308232 * age from 0 to 110 steps of 1007958012753983/17592186044416 (real)
--> a2: moments of 0.017453292519943295 * age from 0 to 110 steps of 5030569068109113/288230376151711744 (real)
--> avg = a0 (real)
--> avg_2 = a1 (real)
--> avg_3 = a2 (real)
