-- How many patients are there?
-- expect: answer
SELECT COUNT(*) AS patients FROM patients

-- How many visits did each department have?
-- expect: answer
SELECT department, COUNT(*) AS visits
FROM visits
GROUP BY department
ORDER BY visits DESC

-- How many different people came to the clinic this year?
-- expect: answer
SELECT COUNT(DISTINCT patient_id) AS people FROM visits

-- How many patients of each sex live in each region?
-- expect: answer
SELECT region, sex, COUNT(*) AS n FROM patients GROUP BY region, sex ORDER BY region, sex

-- What does a visit cost on average, and in all?
-- expect: answer
SELECT AVG(cost) AS average_cost, SUM(cost) AS total_cost FROM visits

-- How did the number of visits develop month by month?
-- expect: answer
SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS visits
FROM visits
GROUP BY 1
ORDER BY 1

-- On which days of the week do emergencies come?
-- expect: answer
SELECT EXTRACT(dow FROM day) AS weekday, COUNT(*) AS n
FROM visits
WHERE department = 'emergency'
GROUP BY weekday

-- How many patients are children, adults and old people?
-- expect: answer
SELECT
  CASE
    WHEN 2026 - birth_year < 18 THEN 'child'
    WHEN 2026 - birth_year < 65 THEN 'adult'
    ELSE 'old'
  END AS age_group,
  COUNT(*) AS patients
FROM patients
GROUP BY age_group

-- What is the mean age of smokers and of non-smokers?
-- expect: answer
SELECT smoker, AVG(2026 - birth_year) AS mean_age, COUNT(*) AS n FROM patients GROUP BY smoker

-- What is the median cost of a visit?
-- expect: answer
SELECT MEDIAN(cost) FROM visits

-- What are the quartiles of the time that a visit takes?
-- expect: answer
SELECT
  QUANTILE(minutes, 0.25) AS q1,
  QUANTILE(minutes, 0.5) AS q2,
  QUANTILE(minutes, 0.75) AS q3
FROM visits

-- What do the most expensive five percent of visits cost, by department?
-- expect: answer
SELECT department, PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY cost) AS p95
FROM visits
GROUP BY department

-- How long did the shortest and the longest visit take?
-- expect: answer
SELECT MIN(minutes) AS shortest, MAX(minutes) AS longest FROM visits

-- How much do costs vary?
-- expect: answer
SELECT STDDEV(cost) AS deviation, VAR_SAMP(cost) AS variance FROM visits

-- Are longer visits more expensive?
-- expect: answer
SELECT CORR(minutes, cost) AS r FROM visits

-- Which department is visited most often?
-- expect: answer
SELECT MODE(department) AS busiest FROM visits

-- How many visits were urgent and how many were not, in one row?
-- expect: answer
SELECT
  COUNT(*) FILTER (WHERE urgent) AS urgent,
  COUNT(*) FILTER (WHERE NOT urgent) AS planned
FROM visits

-- Which share of the visits to each department is urgent?
-- expect: answer
SELECT department, 100.0 * SUM(CASE WHEN urgent THEN 1 ELSE 0 END) / COUNT(*) AS percent_urgent
FROM visits
GROUP BY department

-- Which departments had more than 500 visits?
-- expect: answer
SELECT department, COUNT(*) AS n FROM visits GROUP BY department HAVING COUNT(*) > 500

-- Which two departments cost the most?
-- expect: answer
SELECT department, SUM(cost) AS total FROM visits GROUP BY department ORDER BY total DESC LIMIT 2

-- How many visits did women and men make?
-- expect: answer
SELECT p.sex, COUNT(*) AS visits
FROM visits v
JOIN patients p ON p.patient_id = v.patient_id
GROUP BY p.sex

-- What do visits cost in each region?
-- expect: answer
SELECT p.region, AVG(v.cost) AS mean_cost
FROM visits AS v
INNER JOIN patients AS p USING (patient_id)
WHERE v.department <> 'emergency'
GROUP BY p.region
ORDER BY mean_cost DESC

-- How many patients live in each country?
-- expect: answer
SELECT r.country, COUNT(*) AS patients
FROM patients p
JOIN regions r ON p.region = r.region
GROUP BY r.country

-- How many visits come from towns and how many from the country?
-- expect: answer
SELECT r.urban, COUNT(*) AS visits
FROM visits v
JOIN patients p ON v.patient_id = p.patient_id
JOIN regions r ON r.region = p.region
GROUP BY r.urban

-- How often does a patient come, on average?
-- expect: answer
SELECT AVG(LEAST(n, 20)) AS visits_per_patient
FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) AS t

-- How often does a patient come, if I forget to say what is the most that counts?
-- expect: refused AVG(n) needs bounds
-- instead: LEAST(GREATEST(n, 0), 500)
-- ask: SELECT AVG(LEAST(GREATEST(n, 0), 20)) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) AS t
SELECT AVG(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) AS t

-- How many patients came once, twice, and more often?
-- expect: answer
WITH per_patient AS (
  SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id
)
SELECT CASE WHEN n = 1 THEN 'once' WHEN n = 2 THEN 'twice' ELSE 'more' END AS how_often, COUNT(*) AS patients
FROM per_patient
GROUP BY 1

-- How many patients have diabetes?
-- expect: answer
SELECT COUNT(DISTINCT patient_id) FROM diagnoses WHERE code LIKE 'E1%'

-- Which diagnoses are most frequent?
-- expect: answer
SELECT code, COUNT(*) AS n FROM diagnoses GROUP BY code ORDER BY n DESC LIMIT 3

-- How many diagnoses are there in each chapter of the ICD?
-- expect: answer
SELECT SUBSTRING(code, 1, 1) AS chapter, COUNT(*) AS n, AVG(severity) AS mean_severity
FROM diagnoses
GROUP BY 1

-- What do the visits of people with severe diagnoses cost?
-- expect: answer
WITH severe AS (
  SELECT DISTINCT patient_id FROM diagnoses WHERE severity >= 4
)
SELECT AVG(v.cost) AS mean_cost, COUNT(*) AS visits
FROM visits v
JOIN severe s ON s.patient_id = v.patient_id

-- How many patients have never visited us this year?
-- expect: answer
SELECT COUNT(*) AS never
FROM patients p
LEFT JOIN (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) v ON v.patient_id = p.patient_id
WHERE v.n IS NULL

-- What is the body mass index of our patients, by sex?
-- expect: answer
SELECT sex, AVG(LEAST(weight / ((height / 100) * (height / 100)), 60)) AS bmi
FROM patients
WHERE height > 100 AND weight IS NOT NULL
GROUP BY sex

-- How many patients have no region on record?
-- expect: answer
SELECT COALESCE(region, 'unknown') AS region, COUNT(*) AS n FROM patients GROUP BY 1

-- Which insurers have how many patients, whatever the spelling?
-- expect: answer
SELECT UPPER(TRIM(insurer)) AS insurer, COUNT(*) AS patients FROM patients GROUP BY UPPER(TRIM(insurer))

-- How many patients joined in each year?
-- expect: answer
SELECT EXTRACT(YEAR FROM joined) AS year, COUNT(*) AS n FROM patients GROUP BY year ORDER BY year

-- What is the median weight, by the smooth method?
-- expect: answer
SELECT MEDIAN(weight, method => 'smooth') AS median_weight FROM patients

-- What did patients pay in all, counting nobody with more than 2000 per department?
-- expect: answer
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 2, max_groups_contributed = 2)
  department, SUM(cost, contribution_bounds_per_group => (0, 2000)) AS total
FROM visits
GROUP BY department

-- Show me the first ten patients.
-- expect: refused SELECT * returns individual rows
-- instead: COUNT(*)
-- ask: SELECT COUNT(*) FROM patients
SELECT * FROM patients LIMIT 10

-- Who are the ten most expensive patients?
-- expect: refused patient_id
-- instead: FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) AS t
-- ask: SELECT AVG(LEAST(n, 20)) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) AS t
SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id ORDER BY total DESC LIMIT 10

-- What was the first visit of each patient, by a ranking?
-- expect: refused Window functions
-- instead: WHERE x >= 100
-- ask: SELECT department, COUNT(*) FROM visits WHERE cost >= 800 GROUP BY department
SELECT department, COUNT(*)
FROM (SELECT department, ROW_NUMBER() OVER (ORDER BY cost DESC) AS place FROM visits) t
WHERE place <= 100
GROUP BY department

-- How many visits were made by people without a severe diagnosis?
-- expect: answer
SELECT COUNT(*) FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM diagnoses WHERE severity >= 4)
