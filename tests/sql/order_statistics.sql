SELECT MEDIAN(age), QUANTILE(age, 0.9), QUANTILE(age, .25), PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY age DESC), PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY age), QUANTILE_CONT(age, 0.5) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/4, 1/2, 9/10 by exponential (QUANTILE 1/2, integer)
--> a1: quantiles of age from 0 to 110 steps of 1 at 1/4, 1/2, 9/10 by exponential (QUANTILE 9/10, integer)
--> a2: quantiles of age from 0 to 110 steps of 1 at 1/4, 1/2, 9/10 by exponential (QUANTILE 1/4, integer)
--> median = a0 (integer)
--> quantile = a1 (integer)
--> quantile_2 = a2 (integer)
--> percentile_cont = a1 (integer)
--> percentile_disc = a0 (integer)
--> percentile_cont_2 = a0 (integer)

SELECT MEDIAN(age), MEDIAN(age, method => 'EXPONENTIAL'), MEDIAN(age, method => 'smooth'), QUANTILE(age, 0.9, method => 'smooth'), MEDIAN(age, method => 'inverse'), MEDIAN(age, method => 'laplace') FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> a1: quantiles of age from 0 to 110 steps of 1 at 1/2 by smooth (QUANTILE 1/2, integer)
--> a2: quantiles of age from 0 to 110 steps of 1 at 9/10 by smooth (QUANTILE 9/10, integer)
--> a3: quantiles of age from 0 to 110 steps of 1 at 1/2 by inverse (QUANTILE 1/2, integer)
--> a4: quantiles of age from 0 to 110 steps of 1 at 1/2 by laplace (QUANTILE 1/2, integer)
--> median = a0 (integer)
--> median_2 = a0 (integer)
--> median_3 = a1 (integer)
--> quantile = a2 (integer)
--> median_4 = a3 (integer)
--> median_5 = a4 (integer)

SELECT PERCENTILE_CONT(0.9, method => 'inverse') WITHIN GROUP (ORDER BY Cost) FROM visits
--> a0: quantiles of Cost from 0 to 1000000 steps of 1/100 at 9/10 by inverse (QUANTILE 9/10, real)
--> percentile_cont = a0 (real)

SELECT MIN(age), MAX(Cost), MIN(DISTINCT age), MAX(age, method => 'propose', bound => 5), MAX(Cost, method => 'propose', bound => 0.001), MAX(Cost, bound => 2.5, method => 'propose') FROM visits
--> a0: least of age from 0 to 110 steps of 1 by exponential (MIN, integer)
--> a1: greatest of Cost from 0 to 1000000 steps of 1/100 by exponential (MAX, real)
--> a2: greatest of age from 0 to 110 steps of 1 by propose with bound 5 (MAX, integer)
--> a3: greatest of Cost from 0 to 1000000 steps of 1/100 by propose with bound 1 (MAX, real)
--> a4: greatest of Cost from 0 to 1000000 steps of 1/100 by propose with bound 250 (MAX, real)
--> min = a0 (integer)
--> max = a1 (real)
--> min_2 = a0 (integer)
--> max_2 = a2 (integer)
--> max_3 = a3 (real)
--> max_4 = a4 (real)

SELECT MEDIAN(month), MIN(month), MAX(month, method => 'propose', bound => 31), MIN(DATE_TRUNC('quarter', month)) FROM visits
--> a0: quantiles of month from 739617 to 739951 steps of 1 at 1/2 by exponential (QUANTILE 1/2, date)
--> a1: least of month from 739617 to 739951 steps of 1 by exponential (MIN, date)
--> a2: greatest of month from 739617 to 739951 steps of 1 by propose with bound 31 (MAX, date)
--> a3: least of DATE_TRUNC('quarter', month) from 739617 to 739890 steps of 1 by exponential (MIN, date)
--> median = a0 (date)
--> min = a1 (date)
--> max = a2 (date)
--> min_2 = a3 (date)

SELECT MEDIAN(taken), MAX(taken + 7) FROM labs
--> a0: quantiles of taken from 739617 to 739981 steps of 1 at 1/2 by exponential (QUANTILE 1/2, date)
--> a1: greatest of taken + INTERVAL 7 DAY from 739624 to 739988 steps of 1 by exponential (MAX, date)
--> median = a0 (date)
--> max = a1 (date)

SELECT MODE(region), MODE() WITHIN GROUP (ORDER BY region), MODE(region, method => 'stable'), MODE(smoker), MODE(FLOOR(age / 20)), MODE(UPPER(region)) FILTER (WHERE smoker) FROM visits
--> a0: mode of region among east, north, south, west by exponential (MODE, text)
--> a1: mode of region among east, north, south, west by stable (MODE, text)
--> a2: mode of smoker among False, True by exponential (MODE, boolean)
--> a3: mode of FLOOR(age / 20) among 0, 1, 2, 3, 4, 5 by exponential (MODE, integer)
--> a4: mode of CASE WHEN smoker THEN UPPER(region) ELSE NULL END among EAST, NORTH, SOUTH, WEST by exponential (MODE, text)
--> mode = a0 (text)
--> mode_2 = a0 (text)
--> mode_3 = a1 (text)
--> mode_4 = a2 (boolean)
--> mode_5 = a3 (integer)
--> mode_6 = a4 (text)

SELECT region, MEDIAN(Cost) FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: quantiles of Cost from 0 to 1000000 steps of 1/100 at 1/2 by exponential (QUANTILE 1/2, real)
--> region = k0 (text)
--> median = a0 (real)

SELECT region, MEDIAN(age, bracket => 0.05) AS m, DP_INTERVAL_LOW(m) FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: quantiles of age from 0 to 110 steps of 1 at 9/20, 1/2, 11/20 by exponential (QUANTILE 1/2, integer)
--> a1: total of CASE WHEN age IS NULL THEN NULL ELSE 1 END from 1 to 1 steps of 1 within 0 to 5 (integer)
--> region = k0 (text)
--> m = a0 (integer)
--> column3 = a0.low (integer)

SELECT MEDIAN(n, bracket => .1) FROM (SELECT patient_id, LEAST(COUNT(*), 9) AS n FROM visits GROUP BY patient_id)
--> each person: f0 rows
-->   columns 
-->   visits
--> of visits: 1 groups, 1 rows
--> a0: quantiles of LEAST(f0, 9) from 0 to 9 steps of 1 at 2/5, 1/2, 3/5 by exponential (QUANTILE 1/2, integer)
--> a1: total of 1 from 1 to 1 steps of 1 within 0 to 1 (integer)
--> median = a0 (integer)

SELECT PERCENTILE_CONT(0.9, bracket => 0.05) WITHIN GROUP (ORDER BY age) FILTER (WHERE smoker), MEDIAN(Cost), QUANTILE(Cost, 0.5, bracket => 0.01), QUANTILE(Cost, 0.6, bracket => 0.02) FROM visits
--> a0: quantiles of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 at 17/20, 9/10, 19/20 by exponential (QUANTILE 9/10, integer)
--> a1: total of CASE WHEN CASE WHEN smoker THEN age ELSE NULL END IS NULL THEN NULL ELSE 1 END from 1 to 1 steps of 1 within 0 to 5 (integer)
--> a2: quantiles of Cost from 0 to 1000000 steps of 1/100 at 49/100, 1/2, 51/100, 29/50, 3/5, 31/50 by exponential (QUANTILE 1/2, real)
--> a3: quantiles of Cost from 0 to 1000000 steps of 1/100 at 49/100, 1/2, 51/100, 29/50, 3/5, 31/50 by exponential (QUANTILE 1/2, real)
--> a4: total of CASE WHEN Cost IS NULL THEN NULL ELSE 1 END from 1 to 1 steps of 1 within 0 to 5 (integer)
--> a5: quantiles of Cost from 0 to 1000000 steps of 1/100 at 49/100, 1/2, 51/100, 29/50, 3/5, 31/50 by exponential (QUANTILE 3/5, real)
--> percentile_cont = a0 (integer)
--> median = a2 (real)
--> quantile = a3 (real)
--> quantile_2 = a5 (real)

SELECT APPROX_QUANTILE(age, 0.5), APPROX_PERCENTILE(age, 0.5), PERCENTILE_APPROX(age, 0.9), QUANTILE_CONT(age, 0.5), QUANTILE_DISC(age, 0.5) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2, 9/10 by exponential (QUANTILE 1/2, integer)
--> a1: quantiles of age from 0 to 110 steps of 1 at 1/2, 9/10 by exponential (QUANTILE 9/10, integer)
--> approx_quantile = a0 (integer)
--> quantile = a0 (integer)
--> quantile_2 = a1 (integer)
--> percentile_cont = a0 (integer)
--> percentile_disc = a0 (integer)

SELECT MIN(region), MAX(region), MAX(smoker), BOOL_AND(smoker), BOOL_OR(age > 3) FILTER (WHERE smoker) FROM visits
--> a0: least of CASE WHEN region = 'east' THEN 0 WHEN region = 'north' THEN 1 WHEN region = 'south' THEN 2 WHEN region = 'west' THEN 3 ELSE NULL END from 0 to 3 steps of 1 by exponential (MIN, integer)
--> a1: greatest of CASE WHEN region = 'east' THEN 0 WHEN region = 'north' THEN 1 WHEN region = 'south' THEN 2 WHEN region = 'west' THEN 3 ELSE NULL END from 0 to 3 steps of 1 by exponential (MAX, integer)
--> a2: greatest of CASE WHEN NOT smoker THEN 0 WHEN smoker THEN 1 ELSE NULL END from 0 to 1 steps of 1 by exponential (MAX, integer)
--> a3: least of CASE WHEN NOT smoker THEN 0 WHEN smoker THEN 1 ELSE NULL END from 0 to 1 steps of 1 by exponential (MIN, integer)
--> a4: greatest of CASE WHEN smoker THEN CASE WHEN age <= 3 THEN 0 WHEN age >= 4 THEN 1 ELSE NULL END ELSE NULL END from 0 to 1 steps of 1 by exponential (MAX, integer)
--> min = CASE WHEN a0 = 0 THEN 'east' WHEN a0 = 1 THEN 'north' WHEN a0 = 2 THEN 'south' WHEN a0 = 3 THEN 'west' ELSE NULL END (text)
--> max = CASE WHEN a1 = 0 THEN 'east' WHEN a1 = 1 THEN 'north' WHEN a1 = 2 THEN 'south' WHEN a1 = 3 THEN 'west' ELSE NULL END (text)
--> max_2 = CASE WHEN a2 = 0 THEN FALSE WHEN a2 = 1 THEN TRUE ELSE NULL END (boolean)
--> bool_and = a3 = 1 (boolean)
--> bool_or = a4 = 1 (boolean)

SELECT COUNT(*) FROM (SELECT patient_id, BOOL_OR(age > 3) AS old FROM visits GROUP BY patient_id) AS t WHERE old
--> each person: f0 greatest of c0
-->   columns c0: CASE WHEN age <= 3 THEN 0 WHEN age >= 4 THEN 1 ELSE NULL END
-->   visits
--> of visits: 1 groups, 1 rows
--> where f0 = 1
--> a0: rows (integer)
--> count = a0 (integer)

SELECT MAX(smoker) FROM visits
--> a0: greatest of CASE WHEN NOT smoker THEN 0 WHEN smoker THEN 1 ELSE NULL END from 0 to 1 steps of 1 by exponential (MAX, integer)
--> max = CASE WHEN a0 = 0 THEN FALSE WHEN a0 = 1 THEN TRUE ELSE NULL END (boolean)

SELECT MIN(at), MAX(at) AS last, MEDIAN(at) FROM calls HAVING MAX(at) > TIMESTAMP '2026-07-02 00:00:00'
--> a0: least of DATE_DIFF('second', TIMESTAMP '2026-07-01 00:00:00', at) from 0 to 2678399 steps of 1 by exponential (MIN, integer)
--> a1: greatest of DATE_DIFF('second', TIMESTAMP '2026-07-01 00:00:00', at) from 0 to 2678399 steps of 1 by exponential (MAX, integer)
--> a2: quantiles of DATE_DIFF('second', TIMESTAMP '2026-07-01 00:00:00', at) from 0 to 2678399 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> min = TIMESTAMP '2026-07-01 00:00:00' + INTERVAL (a0 * 1000000) MICROSECOND (timestamp)
--> last = TIMESTAMP '2026-07-01 00:00:00' + INTERVAL (a1 * 1000000) MICROSECOND (timestamp)
--> median = TIMESTAMP '2026-07-01 00:00:00' + INTERVAL (a2 * 1000000) MICROSECOND (timestamp)
--> having TIMESTAMP '2026-07-01 00:00:00' + INTERVAL (a1 * 1000000) MICROSECOND > TIMESTAMP '2026-07-02 00:00:00'

SELECT QUANTILE(age, [0.25, 0.5]) AS q, PERCENTILE_CONT([0.5, 0.999]) WITHIN GROUP (ORDER BY Cost) FILTER (WHERE smoker) AS p, COUNT(*) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/4, 1/2 by exponential (QUANTILE 1/4, integer)
--> a1: quantiles of age from 0 to 110 steps of 1 at 1/4, 1/2 by exponential (QUANTILE 1/2, integer)
--> a2: quantiles of CASE WHEN smoker THEN Cost ELSE NULL END from 0 to 1000000 steps of 1/100 at 1/2, 999/1000 by exponential (QUANTILE 1/2, real)
--> a3: quantiles of CASE WHEN smoker THEN Cost ELSE NULL END from 0 to 1000000 steps of 1/100 at 1/2, 999/1000 by exponential (QUANTILE 999/1000, real)
--> a4: rows (integer)
--> q_25 = a0 (integer)
--> q_50 = a1 (integer)
--> p_50 = a2 (real)
--> p_99_9 = a3 (real)
--> count = a4 (integer)
