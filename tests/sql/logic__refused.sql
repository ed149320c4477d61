SELECT COUNT(*) FROM visits WHERE age AND smoker
--> Unsupported: AND, OR and NOT need conditions, but this is an integer

SELECT COUNT(*) FROM visits WHERE NOT city
--> Unsupported: AND, OR and NOT need conditions, but this is text

SELECT COUNT(*) FROM visits WHERE age
--> Unsupported: WHERE needs a condition, but this is integer

SELECT COUNT(*) FROM visits WHERE age IS TRUE
--> Unsupported: IS TRUE or IS FALSE needs a condition, but this is integer

SELECT COUNT(*) FROM visits WHERE age IS 3
--> Unsupported: IS must be followed by NULL, TRUE or FALSE

SELECT COUNT(*) FROM visits HAVING COUNT(*)
--> Unsupported: HAVING needs a condition, but this is integer

SELECT COUNT(*) FROM visits WHERE smoker XOR smoker
--> Unsupported: Syntax error here
