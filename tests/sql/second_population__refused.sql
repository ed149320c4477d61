SELECT COUNT(*) FROM care c LEFT JOIN doctors d ON c.doctor_id = d.doctor_id
--> Unsupported: A LEFT JOIN of two populations would tell who has no partner

SELECT COUNT(*) FROM doctors d LEFT JOIN care c ON c.doctor_id = d.doctor_id
--> Unsupported: A LEFT JOIN of two populations would tell who has no partner

SELECT COUNT(*) FROM care c WHERE c.doctor_id NOT IN (SELECT doctor_id FROM doctors)
--> Unsupported: A LEFT JOIN of two populations would tell who has no partner

SELECT COUNT(*) FROM care c, doctors d
--> Unsupported: doctors is about other people than care, and no row of the one says whom of the other it means

SELECT COUNT(*) FROM care c JOIN doctors d ON c.kind = d.field
--> Unsupported: doctors is about other people than care, and no row of the one says whom of the other it means

SELECT COUNT(*) FROM care c JOIN doctors d ON c.patient_id = d.doctor_id
--> Unsupported: doctors is about other people than care, and no row of the one says whom of the other it means

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN doctors e ON e.doctor_id = d.doctor_id
--> Unsupported: doctors is about other people than care, and no row of the one says whom of the other it means

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN staff s ON s.patient_id = c.patient_id
--> Unsupported: This is about more than two populations

SELECT COUNT(*) FROM care c JOIN rota d ON c.doctor_id = d.doctor_id
--> Unsupported: Where every row is somebody of their own, rows of two people would meet

SELECT COUNT(*) FROM care c JOIN shifts d ON c.doctor_id = d.doctor_id
--> Unbounded: The caps of shifts are not declared, and where two populations meet they are not found

SELECT COUNT(DISTINCT c.patient_id) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: COUNT(DISTINCT c.patient_id) cannot be asked where two populations meet

SELECT COUNT(DISTINCT kind) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: COUNT(DISTINCT kind) cannot be asked where two populations meet

SELECT MEDIAN(minutes) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: MEDIAN(minutes) cannot be asked where two populations meet

SELECT SUM(minutes, contribution_bounds_per_group => (0, 60)) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: SUM(minutes, contribution_bounds_per_group => (0, 60)) cannot be asked where two populations meet

SELECT minutes > years AS late, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY late
--> Unsupported: minutes > years is made of columns of two populations

SELECT c.doctor_id, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY c.doctor_id
--> Unbounded: The values of c.doctor_id are not declared, and where two populations meet they have to be

SELECT day, COUNT(*) FROM care c JOIN doctors d USING (doctor_id) GROUP BY day
--> Unbounded: The values of day are not declared, and where two populations meet they have to be

SELECT d.doctor_id, COUNT(*) FROM care c JOIN doctors d ON c.doctor_id = d.doctor_id GROUP BY d.doctor_id
--> Unsupported: A group for every person would show each of them

SELECT COUNT(*) FROM (SELECT minutes FROM care c JOIN doctors d USING (doctor_id)) x
--> Unsupported: Two populations meet in a subquery

WITH x AS (SELECT c.patient_id, COUNT(*) AS n FROM care c JOIN doctors d USING (doctor_id) GROUP BY c.patient_id) SELECT COUNT(*) FROM x
--> Unsupported: Two populations meet in a subquery

SELECT COUNT(*) FROM care c JOIN doctors d USING (doctor_id) JOIN regions r ON r.region = d.field
--> Unsupported: Nothing joins regions to the others

SELECT COUNT(*) FROM (SELECT kind AS x FROM care UNION ALL SELECT field AS x FROM doctors) z
--> Unsupported: The parts of a UNION ALL are about different people

SELECT AVG(minutes) FROM care c JOIN doctors d USING (doctor_id)
--> Unsupported: AVG(minutes) cannot be asked where two populations meet

SELECT field, STDDEV(minutes) FROM care JOIN doctors USING (doctor_id) GROUP BY field
--> Unsupported: STDDEV(minutes) cannot be asked where two populations meet

SELECT CORR(minutes, years) FROM care JOIN doctors USING (doctor_id)
--> Unsupported: CORR(minutes, years) cannot be asked where two populations meet

SELECT COUNT(*) FROM care c JOIN doctors d ON c.doctor_id = d.doctor_id AND c.kind = d.field
--> Unsupported: Whom a row names has one row to meet, the first, and doctors may have others for which this holds

SELECT COUNT(*) FROM care c WHERE EXISTS (SELECT 1 FROM doctors d WHERE d.doctor_id = c.doctor_id AND d.field = c.kind)
--> Unsupported: Whom a row names has one row to meet, the first, and doctors may have others for which this holds
