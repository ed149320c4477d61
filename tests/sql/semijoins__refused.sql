SELECT COUNT(*) FROM visits WHERE age IN (SELECT visit_age FROM labs)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE value > 3)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM labs WHERE labs.visit_age = visits.age)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM nowhere WHERE nowhere.patient_id = visits.patient_id)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE age NOT IN (SELECT visit_age FROM labs)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT COUNT(*) FROM labs WHERE labs.patient_id = visits.patient_id)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM visits WHERE NOT EXISTS (SELECT 1 FROM labs WHERE labs.patient_id = visits.patient_id HAVING COUNT(*) < 3)
--> Unsupported: Outside FROM this subquery would show rows of other units
