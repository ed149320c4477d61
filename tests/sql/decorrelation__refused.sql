SELECT COUNT(*) FROM visits v WHERE age > (SELECT AVG(age) FROM visits w WHERE w.region = v.region)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM lines WHERE amount > (SELECT AVG(price) FROM drugs WHERE drugs.drug = lines.drug)
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT COUNT(*) FROM patients p WHERE (SELECT COUNT(*) FROM labs l WHERE l.patient_id > p.id) > 3
--> Unsupported: Outside FROM this subquery would show rows of other units

SELECT p.id, (SELECT COUNT(*) FROM labs l WHERE l.patient_id = p.id) FROM patients p
--> Unsupported: id is the privacy id. It cannot be selected, filtered or aggregated
