SELECT COUNT(*), COUNT(1), COUNT(age), COUNT(city), SUM(age), AVG(age), SUM(Cost), AVG(Cost) FROM visits
--> a0: rows (integer)
--> a1: moments of age from 0 to 110 steps of 1 (integer)
--> a2: values of city (integer)
--> a3: moments of age from 0 to 110 steps of 1 (integer)
--> a4: moments of age from 0 to 110 steps of 1 (real)
--> a5: moments of Cost from 0 to 1000000 steps of 1/100 (real)
--> a6: moments of Cost from 0 to 1000000 steps of 1/100 (real)
--> count = a0 (integer)
--> count_2 = a0 (integer)
--> count_3 = a1 (integer)
--> count_4 = a2 (integer)
--> sum = a3 (integer)
--> avg = a4 (real)
--> sum_2 = a5 (real)
--> avg_2 = a6 (real)

SELECT COUNT(*) AS n, count(*) AS again, SUM(age) AS s, SUM((age)) AS also FROM visits
--> a0: rows (integer)
--> a1: total of age from 0 to 110 steps of 1 (integer)
--> n = a0 (integer)
--> again = a0 (integer)
--> s = a1 (integer)
--> also = a1 (integer)

SELECT COUNT(age IS NULL), COUNT(COALESCE(age, 1)), COUNT(smoker), SUM(1) FROM visits
--> a0: rows (integer)
--> a1: values of smoker (integer)
--> a2: total of 1 from 1 to 1 steps of 1 (integer)
--> count = a0 (integer)
--> count_2 = a0 (integer)
--> count_3 = a1 (integer)
--> sum = a2 (integer)

SELECT region FROM visits GROUP BY region HAVING COUNT(*) > 10 ORDER BY AVG(age) DESC
--> k0: region (text, 4 values)
--> a0: rows (integer)
--> a1: moments of age from 0 to 110 steps of 1 (real)
--> region = k0 (text)
--> having a0 > 10
--> order by a1 desc

SELECT SUM(score), AVG(score), COUNT(*) FROM answers
--> a0: moments of score from -5 to 5 steps of 1 (integer)
--> a1: moments of score from -5 to 5 steps of 1 (real)
--> a2: rows (integer)
--> sum = a0 (integer)
--> avg = a1 (real)
--> count = a2 (integer)

SELECT SUM(Cost * 1e9), SUM(Cost * 1e-200) FROM visits
--> a0: total of 1000000000.0 * Cost from 0 to 1000000 steps of 10000000 (real)
--> a1: total of 1e-200 * Cost from 0 to 1000000 steps of 1723641332219371/17236413322193710308527275648221605611275353465890976102803966863175621523200674437902062506074401836980577792347924783802022075597402288498697223440472083169133276925553687259354443801835348679954573727287808412876800 (real)
--> sum = a0 (real)
--> sum_2 = a1 (real)

SELECT SUM(ALL age) FROM visits
--> a0: total of age from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)

SELECT SUM(age * 100000000000000) FROM visits
--> a0: total of 100000000000000 * age from 0 to 10244548 steps of 1073741824 (integer)
--> sum = a0 (integer)

SELECT COUNT(DISTINCT city) FROM visits
--> a0: distinct of city (integer)
--> count = a0 (integer)

SELECT SUM(age) FILTER (WHERE smoker) FROM visits
--> a0: total of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 (integer)
--> sum = a0 (integer)

SELECT COUNT_IF(smoker) FROM visits
--> a0: values of CASE WHEN smoker THEN 1 ELSE NULL END (integer)
--> count_if = a0 (integer)

SELECT SUM(age, contribution_bounds_per_group => (0, 100)) FROM visits
--> a0: total of age from 0 to 110 steps of 1 within 0 to 100 (integer)
--> sum = a0 (integer)

SELECT MEDIAN(age) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> median = a0 (integer)

SELECT MIN(age) FROM visits
--> a0: least of age from 0 to 110 steps of 1 by exponential (MIN, integer)
--> min = a0 (integer)

SELECT MAX(age) FROM visits
--> a0: greatest of age from 0 to 110 steps of 1 by exponential (MAX, integer)
--> max = a0 (integer)

SELECT VAR_POP(age) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_POP, real)
--> var_pop = a0 (real)

SELECT STDDEV(age) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 2 (STDDEV_SAMP, real)
--> stddev = a0 (real)

SELECT QUANTILE_CONT(age, 0.5) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> percentile_cont = a0 (integer)

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> percentile_cont = a0 (integer)

SELECT MODE(age) FROM visits
--> a0: mode of age among 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110 by exponential (MODE, integer)
--> mode = a0 (integer)

SELECT CORR(age, Cost) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 2 and Cost from 0 to 122 steps of 2048/25 (CORR, real)
--> corr = a0 (real)

SELECT VAR_POP(age), VAR_SAMP(age), VARIANCE(age), STDDEV(age), STDDEV_POP(age), STDDEV_SAMP(age), AVG(age), SUM(age), COUNT(age) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_POP, real)
--> a1: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_SAMP, real)
--> a2: moments of age from 0 to 110 steps of 1 of degree 2 (STDDEV_SAMP, real)
--> a3: moments of age from 0 to 110 steps of 1 of degree 2 (STDDEV_POP, real)
--> a4: moments of age from 0 to 110 steps of 1 of degree 2 (real)
--> a5: moments of age from 0 to 110 steps of 1 of degree 2 (integer)
--> a6: moments of age from 0 to 110 steps of 1 of degree 2 (integer)
--> var_pop = a0 (real)
--> var_samp = a1 (real)
--> var_samp_2 = a1 (real)
--> stddev = a2 (real)
--> stddev_pop = a3 (real)
--> stddev_samp = a2 (real)
--> avg = a4 (real)
--> sum = a5 (integer)
--> count = a6 (integer)

SELECT AVG(Cost), VAR_POP(Cost), SUM(Cost), SUM(Cost + 0.5), COUNT(*) FROM visits
--> a0: moments of Cost from 0 to 7813 steps of 32/25 of degree 2 (real)
--> a1: moments of Cost from 0 to 7813 steps of 32/25 of degree 2 (VAR_POP, real)
--> a2: moments of Cost from 0 to 7813 steps of 32/25 of degree 2 (real)
--> a3: total of 0.5 + Cost from 64 to 1280064 steps of 1/128 (real)
--> a4: rows (integer)
--> avg = a0 (real)
--> var_pop = a1 (real)
--> sum = a2 (real)
--> sum_2 = a3 (real)
--> count = a4 (integer)

SELECT COVAR_POP(age, Cost), COVAR_SAMP(age, Cost), CORR(age, Cost), AVG(age), CORR(age, Cost) FILTER (WHERE smoker) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 and Cost from 0 to 3906 steps of 64/25 (COVAR_POP, real)
--> a1: moments of age from 0 to 110 steps of 1 and Cost from 0 to 3906 steps of 64/25 (COVAR_SAMP, real)
--> a2: moments of age from 0 to 110 steps of 1 of degree 2 and Cost from 0 to 122 steps of 2048/25 (CORR, real)
--> a3: moments of age from 0 to 110 steps of 1 (real)
--> a4: moments of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 of degree 2 and Cost from 0 to 122 steps of 2048/25 (CORR, real)
--> covar_pop = a0 (real)
--> covar_samp = a1 (real)
--> corr = a2 (real)
--> avg = a3 (real)
--> corr_2 = a4 (real)

SELECT COUNT(DISTINCT patient_id), COUNT(DISTINCT age % 3), COUNT(patient_id), COUNT(DISTINCT patient_id) FILTER (WHERE smoker) FROM visits
--> a0: units (integer)
--> a1: distinct of age % 3 (integer)
--> a2: rows (integer)
--> a3: total of CASE WHEN smoker THEN 1 ELSE NULL END from 1 to 1 steps of 1 within 0 to 1 (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)
--> count_3 = a2 (integer)
--> count_4 = a3 (integer)

SELECT COUNT(*) FILTER (WHERE smoker), COUNT(city) FILTER (WHERE age > 3), AVG(age) FILTER (WHERE smoker), MEDIAN(age) FILTER (WHERE smoker), COUNT_IF(smoker) FILTER (WHERE age > 3) FROM visits
--> a0: values of CASE WHEN smoker THEN 1 ELSE NULL END (integer)
--> a1: values of CASE WHEN age >= 4 THEN city ELSE NULL END (integer)
--> a2: moments of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 (real)
--> a3: quantiles of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> a4: values of CASE WHEN age >= 4 AND smoker THEN 1 ELSE NULL END (integer)
--> count = a0 (integer)
--> count_2 = a1 (integer)
--> avg = a2 (real)
--> median = a3 (integer)
--> count_if = a4 (integer)

SELECT SUM(Cost, contribution_bounds_per_group => (-0.5, 99.999)), COUNT(*, contribution_bounds_per_group => (0, 3)), COUNT(city, contribution_bounds_per_group => (0, 2)) FROM visits
--> a0: total of Cost from 0 to 1000000 steps of 1/100 within -50 to 10000 (real)
--> a1: total of 1 from 1 to 1 steps of 1 within 0 to 3 (integer)
--> a2: total of CASE WHEN city IS NULL THEN NULL ELSE 1 END from 1 to 1 steps of 1 within 0 to 2 (integer)
--> sum = a0 (real)
--> count = a1 (integer)
--> count_2 = a2 (integer)

SELECT SUM(weight, contribution_bounds_per_group => (0, 200)), SUM(visits_before, contribution_bounds_per_group => (-2, 9.5)), AVG(age), SUM(age, contribution_bounds_per_group => (0, 50)) FROM visits
--> a0: total of weight from 0 to 1638400 steps of 1/8192 within 0 to 1638400 (real)
--> a1: total of visits_before from -2 to 10 steps of 1 within -2 to 10 (integer)
--> a2: moments of age from 0 to 110 steps of 1 (real)
--> a3: total of age from 0 to 110 steps of 1 within 0 to 50 (integer)
--> sum = a0 (real)
--> sum_2 = a1 (integer)
--> avg = a2 (real)
--> sum_3 = a3 (integer)

SELECT MEDIAN(age) AS m, DP_INTERVAL_LOW(m), DP_INTERVAL_HIGH(VAR_POP(age)), DP_INTERVAL_LOW(SUM(age, contribution_bounds_per_group => (0, 9))) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> a1: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_POP, real)
--> a2: total of age from 0 to 110 steps of 1 within 0 to 9 (integer)
--> m = a0 (integer)
--> column2 = a0.low (integer)
--> column3 = a1.high (real)
--> column4 = a2.low (integer)

SELECT region, MAX(age) FROM visits GROUP BY region HAVING MAX(age) > 3 ORDER BY MIN(age)
--> k0: region (text, 4 values)
--> a0: greatest of age from 0 to 110 steps of 1 by exponential (MAX, integer)
--> a1: least of age from 0 to 110 steps of 1 by exponential (MIN, integer)
--> region = k0 (text)
--> max = a0 (integer)
--> having a0 > 3
--> order by a1

SELECT VAR(age), VARP(age), STD(age), STDEV(age), STDEVP(age), STDDEVP(age), MEAN(age), FSUM(age) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_SAMP, real)
--> a1: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_POP, real)
--> a2: moments of age from 0 to 110 steps of 1 of degree 2 (STDDEV_SAMP, real)
--> a3: moments of age from 0 to 110 steps of 1 of degree 2 (STDDEV_POP, real)
--> a4: moments of age from 0 to 110 steps of 1 of degree 2 (real)
--> a5: moments of age from 0 to 110 steps of 1 of degree 2 (integer)
--> var_samp = a0 (real)
--> var_pop = a1 (real)
--> stddev = a2 (real)
--> stddev_2 = a2 (real)
--> stddev_pop = a3 (real)
--> stddev_pop_2 = a3 (real)
--> avg = a4 (real)
--> sum = a5 (integer)

SELECT SUMIF(age, smoker), SUM_IF(age, smoker), AVGIF(age, smoker), AVG_IF(age, smoker), COUNTIF(smoker), COUNT() FROM visits
--> a0: moments of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 (integer)
--> a1: moments of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 (real)
--> a2: values of CASE WHEN smoker THEN 1 ELSE NULL END (integer)
--> a3: rows (integer)
--> sum = a0 (integer)
--> sum_2 = a0 (integer)
--> avg = a1 (real)
--> avg_2 = a1 (real)
--> count_if = a2 (integer)
--> count = a3 (integer)

SELECT APPROX_COUNT_DISTINCT(city), COUNT_DISTINCT(city), UNIQ(city), COUNT(DISTINCT city), APPROX_COUNT_DISTINCT(patient_id) FROM visits
--> a0: distinct of city (integer)
--> a1: units (integer)
--> approx_count_distinct = a0 (integer)
--> count = a0 (integer)
--> count_2 = a0 (integer)
--> count_3 = a0 (integer)
--> approx_count_distinct_2 = a1 (integer)

SELECT COUNT() FROM visits
--> a0: rows (integer)
--> count = a0 (integer)

SELECT APPROX_COUNT_DISTINCT(city) FROM visits
--> a0: distinct of city (integer)
--> approx_count_distinct = a0 (integer)

SELECT APPROX_QUANTILE(age, 0.5) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/2 by exponential (QUANTILE 1/2, integer)
--> approx_quantile = a0 (integer)

SELECT REGR_SLOPE(Cost, age), REGR_INTERCEPT(Cost, age), REGR_R2(Cost, age), REGR_COUNT(Cost, age), CORR(Cost, age) FROM visits
--> a0: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (REGR_SLOPE, real)
--> a1: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (REGR_INTERCEPT, real)
--> a2: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (REGR_R2, real)
--> a3: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (integer)
--> a4: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (CORR, real)
--> regr_slope = a0 (real)
--> regr_intercept = a1 (real)
--> regr_r2 = a2 (real)
--> regr_count = a3 (integer)
--> corr = a4 (real)

SELECT REGR_COUNT(Cost, age), REGR_AVGX(Cost, age) FILTER (WHERE smoker), REGR_SXX(Cost, age), COVAR_POP(Cost, age) FROM visits
--> a0: moments of Cost from 0 to 3906 steps of 64/25 and age from 0 to 110 steps of 1 (integer)
--> a1: moments of CASE WHEN smoker THEN Cost ELSE NULL END from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (REGR_AVGX, real)
--> a2: moments of Cost from 0 to 122 steps of 2048/25 of degree 2 and age from 0 to 110 steps of 1 (REGR_SXX, real)
--> a3: moments of Cost from 0 to 3906 steps of 64/25 and age from 0 to 110 steps of 1 (COVAR_POP, real)
--> regr_count = a0 (integer)
--> regr_avgx = a1 (real)
--> regr_sxx = a2 (real)
--> covar_pop = a3 (real)

SELECT REGR_COUNT(city, weight) FROM visits
--> a0: values of CASE WHEN city IS NULL OR weight IS NULL THEN NULL ELSE 1 END (integer)
--> regr_count = a0 (integer)

SELECT SKEWNESS(age), KURTOSIS(age), KURTOSIS_POP(age), VAR_SAMP(age), SKEWNESS(Cost) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 4 (SKEWNESS, real)
--> a1: moments of age from 0 to 110 steps of 1 of degree 4 (KURTOSIS, real)
--> a2: moments of age from 0 to 110 steps of 1 of degree 4 (KURTOSIS_POP, real)
--> a3: moments of age from 0 to 110 steps of 1 of degree 2 (VAR_SAMP, real)
--> a4: moments of Cost from 0 to 488 steps of 512/25 of degree 3 (SKEWNESS, real)
--> skewness = a0 (real)
--> kurtosis = a1 (real)
--> kurtosis_pop = a2 (real)
--> var_samp = a3 (real)
--> skewness_2 = a4 (real)

SELECT KURTOSIS(age) FROM visits
--> a0: moments of age from 0 to 110 steps of 1 of degree 4 (KURTOSIS, real)
--> kurtosis = a0 (real)

SELECT REGR_COUNT(patient_id, age) FROM visits
--> a0: values of CASE WHEN age IS NULL THEN NULL ELSE 1 END (integer)
--> regr_count = a0 (integer)

SELECT BOOL_AND(smoker) FROM visits
--> a0: least of CASE WHEN NOT smoker THEN 0 WHEN smoker THEN 1 ELSE NULL END from 0 to 1 steps of 1 by exponential (MIN, integer)
--> bool_and = a0 = 1 (boolean)

SELECT SUM(smoker) FROM visits
--> a0: total of CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 ELSE NULL END from 0 to 1 steps of 1 (integer)
--> sum = a0 (integer)

SELECT VAR_POP(smoker) FROM visits
--> a0: moments of CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 ELSE NULL END from 0 to 1 steps of 1 of degree 2 (VAR_POP, real)
--> var_pop = a0 (real)

SELECT QUANTILE(age, [0.1, 0.5]) FROM visits
--> a0: quantiles of age from 0 to 110 steps of 1 at 1/10, 1/2 by exponential (QUANTILE 1/10, integer)
--> a1: quantiles of age from 0 to 110 steps of 1 at 1/10, 1/2 by exponential (QUANTILE 1/2, integer)
--> quantile_10 = a0 (integer)
--> quantile_50 = a1 (integer)

SELECT SKEWNESS(smoker) FROM visits
--> a0: moments of CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 ELSE NULL END from 0 to 1 steps of 1 of degree 3 (SKEWNESS, real)
--> skewness = a0 (real)

SELECT AVG(age > 50), SUM(smoker AND age > 3) FILTER (WHERE age < 60), CORR(smoker, age) FROM visits
--> a0: moments of CASE WHEN age >= 51 THEN 1 WHEN age <= 50 THEN 0 ELSE NULL END from 0 to 1 steps of 1 (real)
--> a1: total of CASE WHEN age <= 59 THEN CASE WHEN age >= 4 AND smoker THEN 1 WHEN age <= 3 OR NOT smoker THEN 0 ELSE NULL END ELSE NULL END from 0 to 1 steps of 1 (integer)
--> a2: moments of CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 ELSE NULL END from 0 to 1 steps of 1 of degree 2 and age from 0 to 110 steps of 1 (CORR, real)
--> avg = a0 (real)
--> sum = a1 (integer)
--> corr = a2 (real)

SELECT region, SUM(DISTINCT age), AVG(DISTINCT age) FILTER (WHERE smoker), SUM(age) FROM visits GROUP BY region
--> k0: region (text, 4 values)
--> a0: distinct of age from 0 to 110 steps of 1 (integer)
--> a1: distinct of CASE WHEN smoker THEN age ELSE NULL END from 0 to 110 steps of 1 (integer)
--> a2: distinct of CASE WHEN smoker THEN age ELSE NULL END (integer)
--> a3: total of age from 0 to 110 steps of 1 (integer)
--> region = k0 (text)
--> sum = a0 (integer)
--> avg = a1 / a2 (real)
--> sum_2 = a3 (integer)

SELECT SUM(DISTINCT Cost), AVG(age) FROM visits
--> a0: distinct of Cost from 0 to 1000000 steps of 1/100 (real)
--> a1: moments of age from 0 to 110 steps of 1 (real)
--> sum = a0 (real)
--> avg = a1 (real)
