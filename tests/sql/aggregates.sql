SELECT COUNT(*), COUNT(1), COUNT(age), COUNT(city), SUM(age), AVG(age), SUM(Cost), AVG(Cost) FROM visits
--> a0: rows (integer)
--> a1: values of age (integer)
--> a2: values of city (integer)
--> a3: total of age from 0 to 110 steps of 1 (integer)
--> a4: mean of age from 0 to 110 steps of 1 (real)
--> a5: total of Cost from 0 to 1000000 steps of 1/100 (real)
--> a6: mean of Cost from 0 to 1000000 steps of 1/100 (real)
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
--> a1: mean of age from 0 to 110 steps of 1 (real)
--> region = k0 (text)
--> having a0 > 10
--> order by a1 desc

SELECT SUM(score), AVG(score), COUNT(*) FROM answers
--> a0: total of score from -5 to 5 steps of 1 (integer)
--> a1: mean of score from -5 to 5 steps of 1 (real)
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
