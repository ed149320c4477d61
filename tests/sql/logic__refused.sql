SELECT COUNT(*) FROM visits WHERE age AND smoker
--> Unsupported: AND, OR and NOT need conditions, but this is an integer

SELECT COUNT(*) FROM visits WHERE NOT city
--> Unsupported: AND, OR and NOT need conditions, but this is text

SELECT COUNT(*) FROM visits WHERE age
--> Unsupported: WHERE wants a condition, and this is integer

SELECT COUNT(*) FROM visits WHERE age IS TRUE
--> Unsupported: IS TRUE and IS FALSE work on conditions, and this is integer

SELECT COUNT(*) FROM visits WHERE age IS 3
--> Unsupported: IS is followed by NULL, TRUE or FALSE

SELECT COUNT(*) FROM visits HAVING COUNT(*)
--> Unsupported: HAVING wants a condition, and this is integer

SELECT COUNT(*) FROM visits WHERE smoker XOR smoker
--> Unsupported: This does not read as SQL from here on
