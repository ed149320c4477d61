SELECT r.zone, COUNT(*) FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY r.zone
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT r.zone, COUNT(r.region) FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY r.zone
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT r.zone, AVG(COALESCE(v.age, 0)) FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY r.zone
--> Unsupported: AVG would count public rows without a match, which belong to nobody

SELECT AVG(CASE WHEN v.age > 30 THEN 1 ELSE 0 END) FROM regions r LEFT JOIN visits v ON v.region = r.region
--> Unsupported: AVG would count public rows without a match, which belong to nobody

SELECT v.region, COUNT(v.age) FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY v.region
--> Unsupported: This key is NULL for public rows without a match

SELECT v.age IS NULL AS none, COUNT(v.age) FROM regions r LEFT JOIN visits v ON v.region = r.region GROUP BY none
--> Unsupported: This key is NULL for public rows without a match

SELECT COUNT(v.age) FROM regions r LEFT JOIN visits v ON v.region = r.region WHERE v.smoker IS NULL
--> Unsupported: This condition may hold for public rows without a match, which belong to nobody

SELECT COUNT(v.age) FROM regions r LEFT JOIN visits v ON v.region = r.region WHERE v.patient_id IS NULL
--> Unsupported: This condition may hold for public rows without a match, which belong to nobody

SELECT COUNT(v.age) FROM regions r LEFT JOIN visits v ON v.region = r.region WHERE COALESCE(v.age, 3) < 9
--> Unsupported: This condition may hold for public rows without a match, which belong to nobody

SELECT COUNT(CASE WHEN v.patient_id IS NULL THEN 1 END) FROM regions r LEFT JOIN visits v ON v.region = r.region
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM visits v RIGHT JOIN regions r ON v.region = r.region
--> Unsupported: COUNT would count public rows without a match, which belong to nobody

SELECT COUNT(*) FROM (SELECT r.zone FROM regions r LEFT JOIN visits v ON v.region = r.region) t
--> Unsupported: A subquery cannot keep public rows without a match, which belong to nobody

SELECT COUNT(p.sex) FROM visits v JOIN labs l USING (patient_id) RIGHT JOIN patients p ON p.id = v.patient_id
--> Unsupported: This RIGHT JOIN is not supported

SELECT COUNT(v.age) FROM visits v FULL JOIN regions r ON v.region = r.region
--> Unsupported: FULL JOIN is not supported
