SELECT COUNT(*) FROM care c LEFT JOIN doctors d ON c.doctor_id = d.doctor_id
--> Unsupported: A LEFT JOIN of two populations would show who has no match

SELECT COUNT(*) FROM doctors d LEFT JOIN care c ON c.doctor_id = d.doctor_id
--> Unsupported: A LEFT JOIN of two populations would show who has no match

SELECT COUNT(*) FROM care c WHERE c.doctor_id NOT IN (SELECT doctor_id FROM doctors)
--> Unsupported: A LEFT JOIN of two populations would show who has no match

SELECT COUNT(*) FROM care c, doctors d
--> Unsupported: doctors and care are about different populations, and no column of one holds the id of the other

SELECT COUNT(*) FROM care c JOIN doctors d ON c.kind = d.field
--> Unsupported: doctors and care are about different populations, and no column of one holds the id of the other

SELECT COUNT(*) FROM care c JOIN doctors d ON c.patient_id = d.doctor_id
--> Unsupported: doctors and care are about different populations, and no column of one holds the id of the other

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN doctors e ON e.doctor_id = d.doctor_id
--> Unsupported: doctors and care are about different populations, and no column of one holds the id of the other

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN staff s ON s.patient_id = c.patient_id
--> Unsupported: A question can join at most two populations

SELECT COUNT(*) FROM care c JOIN rota d ON c.doctor_id = d.doctor_id
--> Unsupported: Every row of this table is its own unit, so it cannot be joined to another protected table

SELECT COUNT(*) FROM care c JOIN shifts d ON c.doctor_id = d.doctor_id
--> Unbounded: shifts has no declared contribution bounds, which cannot be found for two populations

SELECT COUNT(DISTINCT c.patient_id) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: COUNT(DISTINCT c.patient_id) is not supported for two populations

SELECT COUNT(DISTINCT kind) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: COUNT(DISTINCT kind) is not supported for two populations

SELECT MEDIAN(minutes) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: MEDIAN(minutes) is not supported for two populations

SELECT SUM(minutes, contribution_bounds_per_group => (0, 60)) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: SUM(minutes, contribution_bounds_per_group => (0, 60)) is not supported for two populations

SELECT minutes > years AS late, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY late
--> Unsupported: minutes > years combines columns of two populations

SELECT c.doctor_id, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY c.doctor_id
--> Unbounded: GROUP BY c.doctor_id over two populations needs declared values

SELECT day, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY day
--> Unbounded: GROUP BY day over two populations needs declared values

SELECT d.doctor_id, COUNT(*) FROM care c JOIN doctors d ON c.doctor_id = d.doctor_id GROUP BY d.doctor_id
--> Unsupported: doctor_id is the privacy id. Grouping by it would show each unit on its own

SELECT COUNT(*) FROM (SELECT minutes FROM care c JOIN doctors d USING (doctor_id)) x
--> Unsupported: A subquery cannot join two populations

WITH x AS (SELECT c.patient_id, COUNT(*) AS n FROM care c JOIN doctors d USING (doctor_id) GROUP BY c.patient_id) SELECT COUNT(*) FROM x
--> Unsupported: A subquery cannot join two populations

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN regions r ON r.region = d.field
--> Unsupported: regions is not joined to the other tables

SELECT COUNT(*) FROM (SELECT kind AS x FROM care UNION ALL SELECT field AS x FROM doctors) z
--> Unsupported: The branches of UNION ALL are about different populations

SELECT AVG(minutes) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: AVG(minutes) is not supported for two populations

SELECT field, STDDEV(minutes) FROM care JOIN doctors USING (doctor_id) GROUP BY field
--> Unsupported: STDDEV(minutes) is not supported for two populations

SELECT CORR(minutes, years) FROM care JOIN doctors USING (doctor_id)
--> Unsupported: CORR(minutes, years) is not supported for two populations

SELECT COUNT(*) FROM care c JOIN doctors d ON c.doctor_id = d.doctor_id AND c.kind = d.field
--> Unsupported: doctors may have several rows per doctor_id and only one of them is joined, so this condition is not supported

SELECT COUNT(*) FROM care c WHERE EXISTS (SELECT 1 FROM doctors d WHERE d.doctor_id = c.doctor_id AND d.field = c.kind)
--> Unsupported: doctors may have several rows per doctor_id and only one of them is joined, so this condition is not supported
