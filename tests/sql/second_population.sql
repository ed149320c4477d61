SELECT COUNT(*) FROM care c JOIN doctors d ON c.doctor_id = d.doctor_id
--> join of whom c0 names, 4 of (c0) and 30 rows of theirs, on () adds (p0: d0, p1: d1) matches 1
-->   columns c0: doctor_id
-->   care
-->   columns d0: field, d1: years
-->   doctors
--> of care, doctors: 1 groups, 6 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT field, SUM(minutes) AS m FROM doctors JOIN care USING (doctor_id) WHERE years > 5 AND minutes > 3 AND minutes > years GROUP BY field
--> join of whom c0 names, 4 of (c0) and 30 rows of theirs, on () adds (p0: d0, p1: d1) matches 1
-->   columns c0: doctor_id, c1: minutes
-->   where minutes >= 4
-->   care
-->   columns d0: field, d1: years
-->   where years >= 6
-->   doctors
--> of care, doctors: 2 groups, 6 rows
--> where c1 > p1
--> k0: p0 (text, 2 values)
--> a0: total of c1 from 0 to 90 steps of 1 (integer)
--> field = k0 (text)
--> m = a0 (integer)

SELECT kind, MONTH(day) AS m, field, SUM(minutes + years) FROM care c, doctors d WHERE c.doctor_id = d.doctor_id GROUP BY kind, m, field
--> join of whom c1 names, 4 of (c1, c0, c2) and 30 rows of theirs, on () adds (p0: d0, p1: d1) matches 1
-->   columns c0: MONTH(day), c1: doctor_id, c2: kind, c3: minutes
-->   where MONTH(day) IN (1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9) AND kind IN ('scan', 'talk')
-->   care
-->   columns d0: field, d1: years
-->   doctors
--> of care, doctors: 4 groups, 6 rows
--> k0: c2 (text, 2 values)
--> k1: c0 (integer, 12 values)
--> k2: p0 (text, 2 values)
--> a0: total of c3 + p1 from 0 to 140 steps of 1 (integer)
--> kind = k0 (text)
--> m = k1 (integer)
--> field = k2 (text)
--> sum = a0 (integer)

SELECT COUNT(minutes) FROM care c WHERE c.doctor_id IN (SELECT doctor_id FROM doctors WHERE field = 'skin')
--> join of whom c0 names, 4 of (c0) and 30 rows of theirs, on () adds () matches 1
-->   columns c0: doctor_id, c1: minutes
-->   care
-->   columns 
-->   each person: 
-->     columns 
-->     where field = 'skin'
-->     doctors
--> of care, doctors: 1 groups, 6 rows
--> a0: values of c1 (integer)
--> count = a0 (integer)

SELECT zone, COUNT(*) FROM care c JOIN patients p ON p.id = c.patient_id JOIN regions r ON r.region = p.region JOIN doctors d USING (doctor_id) GROUP BY zone
--> join of whom c0 names, 4 of (c0, c1) and 30 rows of theirs, on () adds (p0: d0, p1: d1) matches 1
-->   columns c0: c0, c1: p1
-->   where p1 IN ('a', 'b')
-->   join on (p0 = d0) adds (p1: d1)
-->     join of the same person on () adds (p0: d0)
-->       columns c0: doctor_id
-->       care
-->       columns d0: region
-->       patients
-->     columns d0: region, d1: zone
-->     regions
-->   columns d0: field, d1: years
-->   doctors
--> of care, patients, doctors: 2 groups, 6 rows
--> k0: c1 (text, 2 values)
--> a0: rows (integer)
--> zone = k0 (text)
--> count = a0 (integer)

SELECT sex, COUNT(*) FROM (SELECT doctor_id, MAX(years) AS y FROM doctors GROUP BY doctor_id) d JOIN care c ON c.doctor_id = d.doctor_id AND c.minutes = d.y JOIN patients p ON p.id = c.patient_id GROUP BY sex
--> join of whom c0 names, 4 of (c0, c2) and 30 rows of theirs, on () adds (p0: d0) matches 1
-->   columns c0: c0, c1: c1, c2: p0
-->   where p0 IN ('f', 'm')
-->   join of the same person on () adds (p0: d0)
-->     columns c0: doctor_id, c1: minutes
-->     care
-->     columns d0: sex
-->     patients
-->   columns d0: f0
-->   each person: f0 greatest of c0
-->     columns c0: years
-->     doctors
--> of care, patients, doctors: 2 groups, 6 rows
--> where c1 = p0
--> k0: c2 (text, 2 values)
--> a0: rows (integer)
--> sex = k0 (text)
--> count = a0 (integer)

SELECT most, COUNT(*) FROM care c JOIN (SELECT doctor_id, MAX(years) AS most FROM doctors GROUP BY doctor_id) d USING (doctor_id) GROUP BY most
--> join of whom c0 names, 4 of (c0) and 30 rows of theirs, on () adds (p0: d0) matches 1
-->   columns c0: doctor_id
-->   care
-->   columns d0: f0
-->   each person: f0 greatest of c0
-->     columns c0: years
-->     doctors
--> of care, doctors: 4 groups, 6 rows
--> k0: p0 (integer, 51 values)
--> a0: rows (integer)
--> most = k0 (integer)
--> count = a0 (integer)

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups_contributed = 2) field, COUNT(*) FROM care JOIN doctors USING (doctor_id) GROUP BY field
--> options: None, None, 2
--> join of whom c0 names, 2 of (c0) and 30 rows of theirs, on () adds (p0: d0, p1: d1) matches 1
-->   columns c0: doctor_id
-->   care
-->   columns d0: field, d1: years
-->   doctors
--> of care, doctors: 2 groups, 6 rows
--> k0: p0 (text, 2 values)
--> a0: rows (integer)
--> field = k0 (text)
--> count = a0 (integer)
