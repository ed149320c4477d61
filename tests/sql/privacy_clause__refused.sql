SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM visits
--> Unsupported: Here OPTIONS was expected

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS COUNT(*) FROM visits
--> Unsupported: Here ( was expected

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon) COUNT(*) FROM visits
--> Unsupported: Here = was expected

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = x) COUNT(*) FROM visits
--> Unsupported: epsilon takes a number that is written out

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = '1') COUNT(*) FROM visits
--> Unsupported: epsilon takes a number that is written out

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) COUNT(*) FROM visits
--> Unsupported: epsilon takes a number that is written out

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0) COUNT(*) FROM visits
--> Unsupported: epsilon is greater than 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e9999) COUNT(*) FROM visits
--> Unsupported: epsilon takes a number that is written out

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1 delta = 2) COUNT(*) FROM visits
--> Unsupported: Here , or ) was expected

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1) COUNT(*) FROM visits
--> Unsupported: delta lies between 0 and 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 0) COUNT(*) FROM visits
--> Unsupported: delta lies between 0 and 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, epsilon = 2) COUNT(*) FROM visits
--> Unsupported: epsilon is given twice

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilom = 1) COUNT(*) FROM visits
--> Unsupported: epsilom is no option here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column = 1) COUNT(*) FROM visits
--> Unsupported: privacy_unit_column is no option here

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 0) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed is a whole number from 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1.5) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed is a whole number from 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 4) COUNT(*) FROM visits
--> Unsupported: max_groups_contributed is at most 3 by the policy of visits, and this asks for 4

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 2) COUNT(*) FROM answers
--> Unsupported: max_groups_contributed is at most 1 by the policy of answers, and this asks for 2

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1
--> Unsupported: The options are not closed

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1,
--> Unsupported: The options are not closed

SELECT WITH DIFFERENTIAL_PRIVACY
--> Unsupported: The options are not closed

SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) SELECT COUNT(*) FROM visits
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

SELECT WITH ANONYMIZATION OPTIONS(epsilon = 1) COUNT(*) FROM visits
--> Unsupported: This does not read as SQL from here on

EXPLAIN PRIVACY
--> Unsupported: Nothing is asked

EXPLAIN PRIVACY EXPLAIN PRIVACY SELECT COUNT(*) FROM visits
--> Unsupported: This is no question

EXPLAIN
--> Unsupported: Nothing is asked

FROM visits WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

WITH a AS (SELECT patient_id FROM visits) SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM a)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) * FROM visits)
--> Unsupported: WITH DIFFERENTIAL_PRIVACY stands once, right after the outermost SELECT: noise comes last

SELECT OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: Options stand behind WITH DIFFERENTIAL_PRIVACY

SELECT DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: Options stand behind WITH DIFFERENTIAL_PRIVACY

SELECT WITH OPTIONS(epsilon = 0.5) COUNT(*) FROM visits
--> Unsupported: Options stand behind WITH DIFFERENTIAL_PRIVACY

SELECT options FROM visits
--> Unsupported: visits has no column options
