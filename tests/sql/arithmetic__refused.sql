SELECT SUM(age & 1) FROM visits
--> Unsupported: Bitwise operators are not supported

SELECT SUM(age << 1) FROM visits
--> Unsupported: Bitwise operators are not supported

SELECT SUM(age * age * age * age * age * age * age * age * age * age) FROM visits
--> Unsupported: * may exceed the largest number: its bounds are 0 and 2.59e+20

SELECT SUM(Cost % 3) FROM visits
--> Unsupported: % needs integers

SELECT SUM(city + 1) FROM visits
--> Unsupported: + needs numbers, but this is text

SELECT SUM(age + NULL) FROM visits
--> Unsupported: One operand is NULL, so this is always NULL

SELECT SUM(Cost / age) FROM visits
--> Unbounded: SUM(Cost / age) needs bounds: it has none where a divisor or the argument of LN may be 0

SELECT SUM(weight + 1) FROM visits
--> Unbounded: weight + 1 needs bounds

SELECT COUNT(*) FROM visits WHERE weight * visits_before > 3
--> Unbounded: weight * visits_before needs bounds

SELECT COUNT(*) + 'a' FROM visits
--> Unsupported: + needs numbers, but this is text

SELECT -city, COUNT(*) FROM visits GROUP BY 1
--> Unsupported: - needs numbers, but this is text

SELECT COUNT(*) FROM visits WHERE cost > 1e308 * 1e308
--> Unsupported: * may exceed the largest number: its bounds are 1.00e+616 and 1.00e+616

SELECT SUM(Cost // 3) FROM visits
--> Unsupported: // needs integers

SELECT SUM(age // 0) FROM visits
--> Unsupported: Division by 0 is always NULL
