SELECT SUM(CASE WHEN age THEN 1 END) FROM visits
--> Unsupported: CASE WHEN needs a condition

SELECT SUM(CASE WHEN smoker THEN age ELSE 'none' END) FROM visits
--> Unsupported: CASE needs values of one type, but these are integer and text

SELECT SUM(CASE WHEN smoker THEN NULL END) FROM visits
--> Unsupported: The argument is always NULL

SELECT COUNT(CASE WHEN smoker THEN weight + 1 END) FROM visits
--> Unbounded: weight + 1 needs bounds

SELECT SUM(COALESCE(age, city)) FROM visits
--> Unsupported: COALESCE needs values of one type, but these are integer and text

SELECT SUM(NULLIF(age, 'x')) FROM visits
--> Unsupported: NULLIF needs values of one type, but these are integer and text

SELECT SUM(IF(age, 1, 2)) FROM visits
--> Unsupported: CASE WHEN needs a condition

SELECT CASE WHEN smoker THEN NULL END, COUNT(*) FROM visits GROUP BY 1
--> Unsupported: This GROUP BY key is always NULL

SELECT COUNT(DECODE(age, 3)) FROM visits
--> Unsupported: There is no function DECODE
