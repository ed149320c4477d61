SELECT COUNT(*) FROM visits WHERE age IN (SELECT visit_age FROM labs)
--> Unsupported: SELECT DISTINCT looks for rows that different people share

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE value > 3)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.visit_age = visits.age)
--> Unsupported: SELECT DISTINCT looks for rows that different people share

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id AND value > age)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs) OR age > 3
--> Unsupported: IN (SELECT …) would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs GROUP BY patient_id)
--> Unsupported: IN (SELECT …) would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM nowhere WHERE nowhere.patient_id = visits.patient_id)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold

SELECT COUNT(*) FROM visits WHERE age NOT IN (SELECT visit_age FROM labs)
--> Unsupported: Aggregates of several people are noisy, and noise comes last: here they would be exact

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT COUNT(*) FROM labs WHERE labs.patient_id = visits.patient_id)
--> Unsupported: A subquery stands in FROM: elsewhere it would show what other people's rows hold
