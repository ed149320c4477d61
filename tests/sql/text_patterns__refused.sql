SELECT COUNT(*) FROM visits WHERE REPLACE(city, '', 'b') = 'a'
--> Unsupported: This function takes a literal text that is not empty

SELECT COUNT(*) FROM visits WHERE REPLACE(city, region, 'b') = 'a'
--> Unsupported: This function takes a literal text that is not empty

SELECT COUNT(*) FROM visits WHERE REPLACE(city, 'a', region) = 'a'
--> Unsupported: REPLACE takes literal texts

SELECT COUNT(*) FROM visits WHERE REPLACE(age, 'a', 'b') = 'a'
--> Unsupported: REPLACE needs text, but this is integer

SELECT COUNT(*) FROM visits WHERE SPLIT_PART(city, '--', 1) = 'a'
--> Unsupported: SPLIT_PART takes a separator of one character, or of two different ones, and the number of a part from 1 to 20

SELECT COUNT(*) FROM visits WHERE SPLIT_PART(city, '-', 0) = 'a'
--> Unsupported: SPLIT_PART takes a separator of one character, or of two different ones, and the number of a part from 1 to 20

SELECT COUNT(*) FROM visits WHERE SUBSTRING_INDEX(city, '-', 2) = 'a'
--> Unsupported: SUBSTRING_INDEX takes a separator of one character, or of two different ones, and the count 1

SELECT COUNT(*) FROM visits WHERE CONCAT_WS('-') = 'a'
--> Unsupported: CONCAT_WS takes a separator and texts

SELECT COUNT(*) FROM visits WHERE CONCAT_WS('-', city, weight) = 'a'
--> Unsupported: Real numbers do not become text

SELECT COUNT(*) FROM visits WHERE TRIM('x' FROM city) = 'a'
--> Unsupported: TRIM … EXPRESSION is not supported
