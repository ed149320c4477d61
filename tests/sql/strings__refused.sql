SELECT COUNT(*) FROM visits WHERE LOWER(age) = 'a'
--> Unsupported: LOWER needs text

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, 0) = 'a'
--> Unsupported: This must be a literal whole number of at least 1

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, -2) = 'a'
--> Unsupported: This must be a literal whole number of at least 1

SELECT COUNT(*) FROM visits WHERE SUBSTRING(city, age, 2) = 'a'
--> Unsupported: This must be a literal whole number of at least 1

SELECT COUNT(*) FROM visits WHERE LEFT(city, -1) = 'a'
--> Unsupported: This must be a literal whole number of at least 0

SELECT COUNT(*) FROM visits WHERE TRIM('x' FROM city) = 'a'
--> Unsupported: TRIM … EXPRESSION is not supported

SELECT COUNT(*) FROM visits WHERE REVERSE(city) = 'a'
--> Unsupported: This text function is not supported

SELECT SUM(LENGTH(city)) FROM visits
--> Unbounded: SUM(LENGTH(city)) needs bounds: the length of text is not known

SELECT COUNT(*) FROM visits WHERE STARTS_WITH(age, 'A')
--> Unsupported: STARTS_WITH needs text

SELECT COUNT(*) FROM visits WHERE CONTAINS(city, region)
--> Unsupported: This function takes literal text without % _ and \

SELECT COUNT(*) FROM visits WHERE ENDS_WITH(city, '5%')
--> Unsupported: This function takes literal text without % _ and \

SELECT COUNT(*) FROM visits WHERE POSITION('a' IN age) > 0
--> Unsupported: POSITION needs text

SELECT SUM(POSITION('a' IN city)) FROM visits
--> Unbounded: SUM(POSITION('a' IN city)) needs bounds: the length of text is not known
