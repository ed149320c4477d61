SELECT SUM(age // 2) FROM visits
--> Unsupported: // is not read

SELECT SUM(age ** 2) FROM visits
--> Unsupported: Powers are not read

SELECT SUM(age & 1) FROM visits
--> Unsupported: Work on bits is not read

SELECT SUM(age << 1) FROM visits
--> Unsupported: Work on bits is not read

SELECT SUM(age * age * age * age * age * age * age * age * age * age) FROM visits
--> Unsupported: * may exceed the largest number: its bounds are 0 and 2.59e+20

SELECT SUM(Cost % 3) FROM visits
--> Unsupported: % needs integers

SELECT SUM(city + 1) FROM visits
--> Unsupported: + needs numbers, but this is text

SELECT SUM(age + NULL) FROM visits
--> Unsupported: With NULL in it, this is always NULL

SELECT SUM(Cost / age) FROM visits
--> Unbounded: This may become arbitrarily large, since something is divided by what may be 0 (or is the logarithm of it)

SELECT SUM(weight + 1) FROM visits
--> Unbounded: weight has no bounds, and arithmetic needs them

SELECT COUNT(*) FROM visits WHERE weight * visits_before > 3
--> Unbounded: weight and visits_before have no bounds, and arithmetic needs them

SELECT COUNT(*) + 'a' FROM visits
--> Unsupported: + needs numbers, but this is text

SELECT -city, COUNT(*) FROM visits GROUP BY 1
--> Unsupported: - needs numbers, but this is text

SELECT COUNT(*) FROM visits WHERE cost > 1e308 * 1e308
--> Unsupported: * may exceed the largest number: its bounds are 1.00e+616 and 1.00e+616
