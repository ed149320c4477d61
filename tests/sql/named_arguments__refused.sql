SELECT SUM(age, contribution_bound_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bound_per_group is no argument here

SELECT SUM(age, epsilon => 3) FROM visits
--> Unsupported: epsilon is no argument here

SELECT SUM(contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: Named arguments come after the others

SELECT SUM(age, contribution_bounds_per_group => (0, 1), contribution_bounds_per_group => (0, 1)) FROM visits
--> Unsupported: contribution_bounds_per_group is given twice

SELECT SUM(age, contribution_bounds_per_group => 5) FROM visits
--> Unsupported: contribution_bounds_per_group is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0)) FROM visits
--> Unsupported: contribution_bounds_per_group is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0, age)) FROM visits
--> Unsupported: contribution_bounds_per_group is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0, 1) + 1) FROM visits
--> Unsupported: contribution_bounds_per_group is written otherwise

SELECT SUM(age, contribution_bounds_per_group => (0, 1), 3) FROM visits
--> Unsupported: Named arguments come after the others

SELECT SUM(age, contribution_bounds_per_group => (0, 1
--> Unsupported: contribution_bounds_per_group is written otherwise

SELECT MEDIAN(age, method => smooth) FROM visits
--> Unsupported: method is written otherwise

SELECT MEDIAN(age, method => 'smooth' 'x') FROM visits
--> Unsupported: method is written otherwise

SELECT MEDIAN(age, bound => 'x') FROM visits
--> Unsupported: bound is written otherwise

SELECT MEDIAN(age, bound => 5 * 2) FROM visits
--> Unsupported: bound is written otherwise

SELECT MEDIAN(age, 'method' => 'smooth') FROM visits
--> Unsupported: Before => stands the name of an argument

SELECT MEDIAN(age, => 'smooth') FROM visits
--> Unsupported: Named arguments come after the others

SELECT age => 3 FROM visits
--> Unsupported: Named arguments stand inside a function

SELECT COUNT(*) FROM visits WHERE age IN (1, method => 'x')
--> Unsupported: This does not read as SQL from here on

SELECT COUNT(*) FROM visits WHERE (age, method => 'x')
--> Unsupported: This does not read as SQL from here on

SELECT (age, method => 'x') FROM visits
--> Unsupported: This does not read as SQL from here on

SELECT SUM(method => 'x', age) FROM visits
--> Unsupported: Named arguments come after the others

SELECT MEDIAN(age, method => 
--> Unsupported: method is written otherwise
