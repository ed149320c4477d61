SELECT tag, COUNT(*) FROM (SELECT UNNEST(string_split(city, ',')) AS tag FROM visits) GROUP BY tag
--> Unsupported: The number of pieces of city is not declared

SELECT COUNT(*) FROM visits, UNNEST(string_split(city || region, ',')) AS t(x)
--> Unsupported: The number of pieces of "city, region" is not declared

SELECT COUNT(*) FROM visits, UNNEST([1, 2]) AS t(x)
--> Unsupported: UNNEST takes the pieces of a text

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, region)[1:3]) AS t(x)
--> Unsupported: The separator must be a literal text

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, 'abc')[1:3]) AS t(x)
--> Unsupported: The separator must be one character, or two different ones

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, '')[1:3]) AS t(x)
--> Unsupported: The separator must be one character, or two different ones

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, ',')[1:21]) AS t(x)
--> Unsupported: UNNEST takes the first pieces of a text, up to 20

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, ',')[2:3]) AS t(x)
--> Unsupported: UNNEST takes the first pieces of a text, up to 20

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, ',')[1:2]) AS t(region)
--> Unsupported: visits has a column region

SELECT COUNT(*) FROM visits, UNNEST(string_split('a,b', ',')[1:2]) AS t(x)
--> Unsupported: UNNEST does not say which table its text is from

SELECT COUNT(*) FROM visits, UNNEST(string_split(city, ',')[1:2]) AS t(x), UNNEST(string_split(region, ',')[1:2]) AS s(y)
--> Unsupported: There is more than one UNNEST

SELECT COUNT(*) FROM visits JOIN UNNEST(string_split(city, ',')[1:2]) AS t(x) ON x = region
--> Unsupported: UNNEST is joined on a condition

SELECT COUNT(*) FROM visits v JOIN patients p ON p.id = v.patient_id, UNNEST(string_split(region, ',')[1:2]) AS t(x)
--> Unsupported: UNNEST does not say which table its text is from
