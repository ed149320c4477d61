SELECT COUNT(*) FROM visits WHERE age IN (SELECT visit_age FROM labs)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE value > 3)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.visit_age = visits.age)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id AND value > age)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs) OR age > 3
--> Unsupported: IN (SELECT …) is not supported here: it would show rows of other units

SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs GROUP BY patient_id)
--> Unsupported: IN (SELECT …) is not supported here: it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM nowhere WHERE nowhere.patient_id = visits.patient_id)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE age NOT IN (SELECT visit_age FROM labs)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT COUNT(*) FROM labs WHERE labs.patient_id = visits.patient_id)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE NOT EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id HAVING COUNT(*) < 3)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE region IN (SELECT region FROM regions)
--> Unsupported: IN and EXISTS do not support public tables

SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = v.region AND r.zone = 'a')
--> Unsupported: IN and EXISTS do not support public tables
