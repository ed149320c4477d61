SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END AS who, COUNT(*) FROM visits GROUP BY who
--> k0: CASE WHEN age <= 17 THEN 'child' WHEN age <= 64 THEN 'adult' ELSE 'old' END (text, 3 values)
--> a0: rows (integer)
--> who = k0 (text)
--> count = a0 (integer)

SELECT SUM(CASE WHEN smoker THEN Cost ELSE 0 END), COUNT(CASE WHEN smoker THEN 1 END), AVG(IF(smoker, age, 0)) FROM visits
--> a0: total of CASE WHEN smoker THEN Cost ELSE 0 END from 0 to 1000000 steps of 1/100 (real)
--> a1: values of CASE WHEN smoker THEN 1 ELSE NULL END (integer)
--> a2: moments of CASE WHEN smoker THEN age ELSE 0 END from 0 to 110 steps of 1 (real)
--> sum = a0 (real)
--> count = a1 (integer)
--> avg = a2 (real)

SELECT COUNT(*) FROM visits WHERE CASE region WHEN 'north' THEN 1 WHEN 'south' THEN 2 END = 2
--> where CASE WHEN region = 'north' THEN 1 WHEN region = 'south' THEN 2 ELSE NULL END = 2
--> a0: rows (integer)
--> count = a0 (integer)

SELECT SUM(COALESCE(age, 0)), SUM(IFNULL(age, 18)), SUM(NULLIF(age, 0)) FROM visits
--> a0: total of COALESCE(age, 0) from 0 to 110 steps of 1 (integer)
--> a1: total of COALESCE(age, 18) from 0 to 110 steps of 1 (integer)
--> a2: total of NULLIF(age, 0) from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)

SELECT region, CASE WHEN COUNT(*) < 10 THEN NULL ELSE AVG(age) END AS mean, COALESCE(SUM(age), 0) AS total FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> a1: moments of age from 0 to 110 steps of 1 (real)
--> a2: moments of age from 0 to 110 steps of 1 (integer)
--> region = k0 (text)
--> mean = CASE WHEN a0 < 10 THEN NULL ELSE a1 END (real)
--> total = COALESCE(a2, 0) (integer)

SELECT COUNT(*) FROM visits WHERE COALESCE(day, '2026-01-01') > '2026-01-31' AND IF(smoker, TRUE) AND CASE WHEN NULL THEN TRUE ELSE smoker END
--> where COALESCE(day, DATE '2026-01-01') > DATE '2026-01-31' AND CASE WHEN smoker THEN TRUE ELSE NULL END AND smoker
--> a0: rows (integer)
--> count = a0 (integer)

SELECT DECODE(region, 'north', 'cold', 'south', 'warm', NULL, 'nowhere', 'mild') AS climate, COUNT(*) FROM visits GROUP BY climate
--> k0: CASE WHEN region = 'north' THEN 'cold' WHEN region = 'south' THEN 'warm' WHEN region IS NULL THEN 'nowhere' ELSE 'mild' END (text, 4 values)
--> a0: rows (integer)
--> climate = k0 (text)
--> count = a0 (integer)

SELECT SUM(DECODE(age, 3, 1)), SUM(NVL2(city, 1, 0)), SUM(IFF(smoker, 1, 0)), SUM(IIF(smoker, 1, 0)), SUM(ISNULL(age, 0)), SUM(ZEROIFNULL(age)), AVG(NULLIFZERO(age)), SUM(NVL2(city, 1)) FROM visits
--> a0: total of CASE WHEN age = 3 THEN 1 ELSE NULL END from 1 to 1 steps of 1 (integer)
--> a1: total of CASE WHEN city IS NULL THEN 0 ELSE 1 END from 0 to 1 steps of 1 (integer)
--> a2: total of CASE WHEN smoker THEN 1 ELSE 0 END from 0 to 1 steps of 1 (integer)
--> a3: total of COALESCE(age, 0) from 0 to 110 steps of 1 (integer)
--> a4: moments of NULLIF(age, 0) from 0 to 110 steps of 1 (real)
--> a5: total of CASE WHEN city IS NULL THEN NULL ELSE 1 END from 1 to 1 steps of 1 (integer)
--> sum = a0 (integer)
--> sum_2 = a1 (integer)
--> sum_3 = a2 (integer)
--> sum_4 = a2 (integer)
--> sum_5 = a3 (integer)
--> sum_6 = a3 (integer)
--> avg = a4 (real)
--> sum_7 = a5 (integer)
