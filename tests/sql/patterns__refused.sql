SELECT COUNT(*) FROM calls WHERE url SIMILAR TO 'a.c'
--> Unsupported: SIMILAR TO with one of % _ . ^ $ means different things in different databases

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, 'a*', 'x', 'g') = 'a'
--> Unsupported: This pattern may match nothing, which databases replace differently

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, '(a)|b', '\1') = 'a'
--> Unsupported: Group 1 is repeated, optional or one of several choices

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, '(a)b', '\2') = 'a'
--> Unsupported: The pattern has no group 2

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, '(a)b', '\x') = 'a'
--> Unsupported: The replacement has a backslash that is neither \1 nor \\

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, '(?=a)')
--> Unsupported: The pattern looks around, names a group or sets a flag

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, '(a)\1')
--> Unsupported: The pattern refers back to a group

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, url)
--> Unsupported: This function takes a literal pattern

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(seconds, 'a')
--> Unsupported: A pattern needs text, but this is integer

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, 'a', 'i')
--> Unsupported: This flag is not supported

SELECT COUNT(*) FROM calls WHERE url ~* 'a'
--> Unsupported: Patterns that ignore case are not supported

SELECT COUNT(*) FROM calls WHERE REGEXP_EXTRACT(url, 'a', 12) = 'x'
--> Unsupported: The group must be a number from 0 to 9

SELECT COUNT(*) FROM calls WHERE REGEXP_EXTRACT(url, '(a)?b', 1) = 'x'
--> Unsupported: Group 1 is repeated, optional or one of several choices

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, 'a', 'b', 'gi') = 'x'
--> Unsupported: This flag is not supported

SELECT COUNT(*) FROM calls WHERE REGEXP_MATCHES(url, '(a*)*')
--> Unsupported: The pattern repeats something that may be empty

SELECT COUNT(*) FROM calls WHERE REGEXP_REPLACE(url, 'a', url) = 'x'
--> Unsupported: This function takes a literal pattern
