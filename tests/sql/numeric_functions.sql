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
