SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM visits
--> Unsupported: Expected OPTIONS here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS COUNT(*) FROM visits
--> Unsupported: Expected ( here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon) COUNT(*) FROM visits
--> Unsupported: Expected = here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = x) COUNT(*) FROM visits
--> Unsupported: epsilon takes a literal number

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = '1') COUNT(*) FROM visits
--> Unsupported: epsilon takes a literal number

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) COUNT(*) FROM visits
--> Unsupported: epsilon takes a literal number

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0) COUNT(*) FROM visits
--> Unsupported: epsilon must be greater than 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e9999) COUNT(*) FROM visits
--> Unsupported: epsilon takes a literal number

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1 delta = 2) COUNT(*) FROM visits
--> Unsupported: Expected , or ) here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1) COUNT(*) FROM visits
--> Unsupported: delta must be between 0 and 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 0) COUNT(*) FROM visits
--> Unsupported: delta must be between 0 and 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, epsilon = 2) COUNT(*) FROM visits
--> Unsupported: epsilon is given twice

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilom = 1) COUNT(*) FROM visits
--> Unsupported: There is no option epsilom

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column = 1) COUNT(*) FROM visits
--> Unsupported: There is no option privacy_unit_column

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 0) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed must be a whole number of at least 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1.5) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed must be a whole number of at least 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 4) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed = 4 is more than the policy of visits allows, which is 3

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 2) COUNT(*) FROM answers
--> Unsupported: max_groups_contributed = 2 is more than the policy of answers allows, which is 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1
--> Unsupported: OPTIONS( is not closed

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1,
--> Unsupported: OPTIONS( is not closed

SELECT WITH DIFFERENTIAL_PRIVACY
--> Unsupported: OPTIONS( is not closed

SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) SELECT COUNT(*) FROM visits
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

SELECT WITH ANONYMIZATION OPTIONS(epsilon = 1) COUNT(*) FROM visits
--> Unsupported: Syntax error here

EXPLAIN PRIVACY
--> Unsupported: EXPLAIN PRIVACY needs a SELECT

EXPLAIN PRIVACY EXPLAIN PRIVACY SELECT COUNT(*) FROM visits
--> Unsupported: This is not a SELECT statement

EXPLAIN
--> Unsupported: This statement is empty

FROM visits WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

WITH a AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM a)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT

SELECT OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: OPTIONS must follow WITH DIFFERENTIAL_PRIVACY

SELECT DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: OPTIONS must follow WITH DIFFERENTIAL_PRIVACY

SELECT WITH OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: OPTIONS must follow WITH DIFFERENTIAL_PRIVACY

SELECT options FROM visits
--> Unsupported: visits has no column options
