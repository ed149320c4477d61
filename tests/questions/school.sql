-- How satisfied are pupils with each topic?
-- expect: answer
SELECT item, AVG(score) AS mean_score FROM answers GROUP BY item ORDER BY mean_score DESC

-- How many pupils took part in each school?
-- expect: answer
SELECT school_id, COUNT(*) AS pupils FROM pupils GROUP BY school_id

-- The same with the names of the schools.
-- expect: answer
SELECT s.title, COUNT(*) AS pupils
FROM pupils p
JOIN schools s ON s.school_id = p.school_id
GROUP BY s.title

-- How many girls and boys are in each grade?
-- expect: answer
SELECT grade, gender, COUNT(*) AS n FROM pupils GROUP BY grade, gender

-- How were the answers distributed for safety?
-- expect: answer
SELECT score, COUNT(*) AS n FROM answers WHERE item = 'safety' GROUP BY score ORDER BY score

-- Which share of the pupils gave a good mark to lunch?
-- expect: answer
SELECT AVG(CASE WHEN score >= 4 THEN 1 ELSE 0 END) AS share FROM answers WHERE item = 'lunch'

-- How satisfied are pupils of public and of private schools with their teachers?
-- expect: answer
SELECT s.kind, AVG(a.score) AS mean_score, COUNT(*) AS answers
FROM answers a
JOIN pupils p ON p.pupil_id = a.pupil_id
JOIN schools s ON s.school_id = p.school_id
WHERE a.item = 'teachers'
GROUP BY s.kind

-- How do marks differ by grade and topic?
-- expect: answer
SELECT p.grade, a.item, AVG(a.score) AS mean_score
FROM answers a
JOIN pupils p USING (pupil_id)
GROUP BY p.grade, a.item
ORDER BY p.grade, a.item

-- What is the mean mark of a pupil, all topics together?
-- expect: answer
SELECT AVG(mean) AS mean_of_means
FROM (SELECT pupil_id, AVG(score) AS mean FROM answers GROUP BY pupil_id) t

-- How many pupils are unhappy with at least three topics?
-- expect: answer
SELECT COUNT(*) AS unhappy
FROM (
  SELECT pupil_id, COUNT(*) AS bad
  FROM answers
  WHERE score <= 2
  GROUP BY pupil_id
) t
WHERE bad >= 3

-- How many pupils gave the worst mark to anything, by gender?
-- expect: answer
SELECT p.gender, COUNT(*) AS pupils
FROM pupils p
JOIN (SELECT DISTINCT pupil_id FROM answers WHERE score = 1) w ON w.pupil_id = p.pupil_id
GROUP BY p.gender

-- How long do pupils travel to school?
-- expect: answer
SELECT MEDIAN(travel_minutes) AS median, AVG(travel_minutes) AS mean, STDDEV_POP(travel_minutes) AS deviation FROM pupils

-- How many pupils travel less than ten minutes, ten to thirty, or longer?
-- expect: answer
SELECT
  CASE
    WHEN travel_minutes < 10 THEN 'short'
    WHEN travel_minutes < 30 THEN 'middle'
    WHEN travel_minutes >= 30 THEN 'long'
    ELSE 'unknown'
  END AS way,
  COUNT(*) AS pupils
FROM pupils
GROUP BY 1

-- How many pupils travel how long, in steps of ten minutes?
-- expect: answer
SELECT FLOOR(travel_minutes / 10) * 10 AS from_minutes, COUNT(*) AS pupils FROM pupils GROUP BY 1 ORDER BY 1

-- Which languages are spoken at home?
-- expect: answer
SELECT language, COUNT(*) AS pupils FROM pupils GROUP BY language ORDER BY pupils DESC

-- How many pupils do not speak English at home, in each city?
-- expect: answer
SELECT s.city, COUNT(*) FILTER (WHERE p.language <> 'English') AS other_language, COUNT(*) AS pupils
FROM pupils p
JOIN schools s ON s.school_id = p.school_id
GROUP BY s.city

-- How many languages begin with a P?
-- expect: answer
SELECT COUNT(DISTINCT language) AS languages FROM pupils WHERE LOWER(language) LIKE 'p%'

-- How many siblings do pupils have?
-- expect: answer
SELECT siblings, COUNT(*) AS pupils FROM pupils GROUP BY siblings ORDER BY siblings

-- What is the largest number of siblings?
-- expect: answer
SELECT MAX(siblings) AS most FROM pupils

-- In which years were the pupils born?
-- expect: answer
SELECT YEAR(born) AS year, COUNT(*) AS pupils FROM pupils GROUP BY YEAR(born) ORDER BY year

-- How many answers came in on each day?
-- expect: answer
SELECT asked, COUNT(*) AS answers FROM answers GROUP BY asked ORDER BY asked

-- On which days were there more than 300 answers?
-- expect: answer
SELECT asked, COUNT(*) AS answers FROM answers GROUP BY asked HAVING COUNT(*) > 300 ORDER BY answers DESC

-- How long does it take to answer, by topic?
-- expect: answer
SELECT item, MEDIAN(seconds) AS median_seconds FROM answers GROUP BY item

-- Do those who think longer give better marks?
-- expect: answer
SELECT CORR(seconds, score) AS r FROM answers WHERE seconds < 120

-- How many questions were left open?
-- expect: answer
SELECT item, COUNT(*) AS asked, COUNT(score) AS answered, COUNT(*) - COUNT(score) AS left_open FROM answers GROUP BY item

-- What is the middle mark in each topic, found by the inverse method?
-- expect: answer
SELECT item, QUANTILE(score, 0.5, method => 'inverse') AS middle FROM answers GROUP BY item

-- Which mark is the most frequent one?
-- expect: answer
SELECT MODE(score) AS usual FROM answers WHERE item = 'friends'

-- How do the marks for safety and noise differ, in one table?
-- expect: answer
SELECT
  AVG(score) FILTER (WHERE item = 'safety') AS safety,
  AVG(score) FILTER (WHERE item = 'noise') AS noise,
  AVG(score) FILTER (WHERE item = 'safety') - AVG(score) FILTER (WHERE item = 'noise') AS difference
FROM answers

-- Which share of the places of each school answered?
-- expect: answer
SELECT s.title, s.places, COUNT(*) * 1.0 / s.places AS share
FROM pupils p
JOIN schools s ON p.school_id = s.school_id
GROUP BY s.title, s.places

-- How many pupils of the lower and of the upper grades are in schools with more than 500 places?
-- expect: answer
SELECT grade <= 8 AS lower_grades, COUNT(*) AS pupils
FROM pupils, schools
WHERE pupils.school_id = schools.school_id AND schools.places > 500
GROUP BY lower_grades

-- How many pupils have marks below the mean of their school?
-- expect: refused aggregates over several units
-- instead: GROUP BY
-- ask: SELECT p.school_id, AVG(a.score) FROM answers a JOIN pupils p ON p.pupil_id = a.pupil_id GROUP BY p.school_id
SELECT COUNT(*)
FROM pupils p
JOIN (
  SELECT p2.school_id, AVG(a.score) AS mean
  FROM answers a JOIN pupils p2 ON p2.pupil_id = a.pupil_id
  GROUP BY p2.school_id
) m ON m.school_id = p.school_id

-- How satisfied with homework are pupils who have many siblings?
-- expect: answer
SELECT AVG(score) AS mean_score
FROM answers
WHERE item = 'homework' AND pupil_id IN (SELECT pupil_id FROM pupils WHERE siblings >= 3)

-- Which pupils are only children?
-- expect: refused pupil_id
-- instead: COUNT(DISTINCT pupil_id)
-- ask: SELECT COUNT(DISTINCT pupil_id) FROM pupils WHERE siblings = 0
SELECT pupil_id FROM pupils WHERE siblings = 0

-- How many pairs of pupils of one school share a birthday?
-- expect: refused is not joined on the privacy id
-- instead: SELECT COUNT(*) … GROUP BY school_id, born
-- ask: SELECT COUNT(*) FROM pupils GROUP BY school_id, born
SELECT COUNT(*) FROM pupils a JOIN pupils b ON a.school_id = b.school_id AND a.born = b.born AND a.pupil_id < b.pupil_id
