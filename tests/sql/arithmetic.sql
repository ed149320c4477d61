SELECT SUM(age + 1), SUM(age - 50), SUM(age * 2), AVG(Cost / 100), SUM(age % 7), SUM(-age), SUM(MOD(age, 7)) FROM visits
--> a0: total of 1 + age from 1 to 111 steps of 1 (integer)
--> a1: total of age - 50 from -50 to 60 steps of 1 (integer)
--> a2: total of 2 * age from 0 to 220 steps of 1 (integer)
--> a3: moments of Cost / 100 from 0 to 1638400 steps of 1/16384 (real)
--> a4: total of age % 7 from 0 to 6 steps of 1 (integer)
--> a5: total of -age from -110 to 0 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)
--> avg = a3 (real)
--> sum_4 = a4 (integer)
--> sum_5 = a5 (integer)
--> sum_6 = a4 (integer)

SELECT SUM(-1), SUM(- -2), SUM(-0.5), SUM(+age) FROM visits
--> a0: total of -1 from -1 to -1 steps of 1 (integer)
--> a1: total of 2 from 2 to 2 steps of 1 (integer)
--> a2: total of -0.5 from -1 to -1 steps of 1/2 (real)
--> a3: total of age from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (real)
--> sum_4 = a3 (integer)

SELECT SUM(Cost) / COUNT(*) AS mean, 100.0 * COUNT(*) AS percent, -COUNT(*) AS minus, COUNT(*) % 2 AS odd FROM visits
--> a0: total of Cost from 0 to 1000000 steps of 1/100 (real)
--> a1: rows (integer)
--> mean = a0 / a1 (real)
--> percent = 100.0 * a1 (real)
--> minus = -a1 (integer)
--> odd = a1 % 2 (integer)

SELECT SUM(Cost * age), SUM(Cost + age), SUM(Cost * 0.5), SUM(Cost / GREATEST(age, 1)) FROM visits
--> a0: total of Cost * age from 0 to 13750000 steps of 2/25 (real)
--> a1: total of Cost + age from 0 to 1011000 steps of 1/100 (real)
--> a2: total of 0.5 * Cost from 0 to 1000000 steps of 1/200 (real)
--> a3: total of Cost / GREATEST(age, 1) from 0 to 1280000 steps of 1/128 (real)
--> sum = a0 (real)
--> sum_2 = a1 (real)
--> sum_3 = a2 (real)
--> sum_4 = a3 (real)

SELECT COUNT(*) FROM visits WHERE cost BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 OR cost > 2 * 0.1 * 3
-->
--> where Cost > 0.6 OR Cost <= 0.07 AND Cost >= 0.05
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(age // 3), SUM(-age // 3), SUM(age ^ 2) FROM visits
--> a0: total of FLOOR((age - age % 3) / 3) from -1 to 36 steps of 1 (integer)
--> a1: total of FLOOR((-age - -age % 3) / 3) from -37 to 0 steps of 1 (integer)
--> a2: total of age * age from 0 to 12100 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)

SELECT SUM(age // 2) FROM visits
--> a0: total of FLOOR((age - age % 2) / 2) from -1 to 55 steps of 1 (integer)
--> sum = a0 (integer)

SELECT SUM(age ** 2) FROM visits
--> a0: total of age * age from 0 to 12100 steps of 1 (integer)
--> sum = a0 (integer)
