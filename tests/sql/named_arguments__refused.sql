SELECT SUM(age, contribution_bound_per_group => (0, 1)) FROM visits
--> Unsupported: There is no named argument contribution_bound_per_group

SELECT SUM(age, epsilon => 3) FROM visits
--> Unsupported: There is no named argument epsilon

SELECT SUM(contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: Named arguments must come after the other arguments

SELECT SUM(age, contribution_bounds_per_group => (0, 1), contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group is given twice

SELECT SUM(age, contribution_bounds_per_group => 5) FROM visits
--> Unsupported: Invalid value for contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0)) FROM visits
--> Unsupported: Invalid value for contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, age)) FROM visits
--> Unsupported: Invalid value for contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 1) + 1) FROM visits
--> Unsupported: Invalid value for contribution_bounds_per_group

SELECT SUM(age, contribution_bounds_per_group => (0, 1), 3) FROM visits
--> Unsupported: Named arguments must come after the other arguments

SELECT SUM(age, contribution_bounds_per_group => (0, 1
--> Unsupported: Invalid value for contribution_bounds_per_group

SELECT MEDIAN(age, method => smooth) FROM visits
--> Unsupported: Invalid value for method

SELECT MEDIAN(age, method => 'smooth' 'x') FROM visits
--> Unsupported: Invalid value for method

SELECT MEDIAN(age, bound => 'x') FROM visits
--> Unsupported: Invalid value for bound

SELECT MEDIAN(age, bound => 5 * 2) FROM visits
--> Unsupported: Invalid value for bound

SELECT MEDIAN(age, 'method' => 'smooth') FROM visits
--> Unsupported: => must follow the name of an argument

SELECT MEDIAN(age, => 'smooth') FROM visits
--> Unsupported: Named arguments must come after the other arguments

SELECT age => 3 FROM visits
--> Unsupported: Named arguments are only allowed inside a function call

SELECT COUNT(*) FROM visits WHERE age IN (1, method => 'x')
--> Unsupported: Syntax error here

SELECT COUNT(*) FROM visits WHERE (age, method => 'x')
--> Unsupported: Syntax error here

SELECT (age, method => 'x') FROM visits
--> Unsupported: Syntax error here

SELECT SUM(method => 'x', age) FROM visits
--> Unsupported: Named arguments must come after the other arguments

SELECT MEDIAN(age, method => 
--> Unsupported: Invalid value for method
