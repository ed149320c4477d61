SELECT COUNT(*) FROM visits WHERE age = 4611686018427387905
--> Unsupported: This integer is too large

SELECT COUNT(*) FROM visits WHERE age = 99999999999999999999999999999999999
--> Unsupported: This integer is too large

SELECT COUNT(*) FROM visits WHERE Cost > 1e999
--> Unsupported: This number is too large

SELECT COUNT(*) FROM visits WHERE city = 'open
--> Unsupported: A quote or a comment is not closed

SELECT COUNT(*) FROM visits WHERE city = $$x$$
--> Unsupported: Dollar quotes are not supported

SELECT COUNT(*) FROM visits WHERE city = e'x'
--> Unsupported: Escape strings are not supported

SELECT COUNT(*) FROM visits WHERE age = $1
--> Unsupported: Parameters and placeholders are not supported

SELECT COUNT(*) FROM visits WHERE age = ?
--> Unsupported: Parameters and placeholders are not supported

SELECT COUNT(*) FROM visits WHERE Cost > 1e
--> Unsupported: This is not a number
