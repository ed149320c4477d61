-- How many payments were made, and for how much?
-- expect: answer
SELECT COUNT(*) AS payments, SUM(amount) AS total FROM payments WHERE status = 'settled'

-- How many customers do we have?
-- expect: answer
SELECT COUNT(DISTINCT customer_id) AS customers FROM accounts

-- How many accounts are there in each segment and country?
-- expect: answer
SELECT segment, country, COUNT(*) AS accounts FROM accounts GROUP BY segment, country

-- What is the mean balance by segment?
-- expect: answer
SELECT segment, AVG(balance) AS mean_balance FROM accounts GROUP BY segment

-- How many accounts are overdrawn?
-- expect: answer
SELECT COUNT(*) AS overdrawn FROM accounts WHERE balance < 0

-- How many cards of each scheme are there, and how many of them are blocked?
-- expect: answer
SELECT scheme, COUNT(*) AS cards, COUNT(*) FILTER (WHERE blocked) AS blocked FROM cards GROUP BY scheme

-- How much is spent by category of merchant?
-- expect: answer
SELECT m.category, SUM(p.amount) AS spent, COUNT(*) AS payments
FROM payments p
JOIN merchants m ON m.merchant_id = p.merchant_id
WHERE p.status = 'settled'
GROUP BY m.category
ORDER BY spent DESC

-- How much is spent in euros, whatever the currency?
-- expect: answer
SELECT SUM(p.amount * c.rate) AS euros
FROM payments p
JOIN currencies c ON c.currency = p.currency

-- How much is spent in euros by category and month?
-- expect: answer
SELECT DATE_TRUNC('month', p.paid) AS month, m.category, SUM(p.amount * c.rate) AS euros
FROM payments p
JOIN merchants m ON m.merchant_id = p.merchant_id
JOIN currencies c ON c.currency = p.currency
GROUP BY month, m.category
ORDER BY month, m.category

-- What is paid with each scheme of card?
-- expect: answer
SELECT c.scheme, COUNT(*) AS payments, AVG(p.amount) AS mean_amount
FROM payments p
JOIN cards c ON c.card_id = p.card_id
GROUP BY c.scheme

-- What do the segments spend?
-- expect: answer
SELECT a.segment, SUM(p.amount) AS spent
FROM payments p
JOIN cards c ON c.card_id = p.card_id
JOIN accounts a ON a.account_id = c.account_id
GROUP BY a.segment

-- Which share of payments is made online, by segment?
-- expect: answer
SELECT a.segment, SUM(CASE WHEN p.online THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS percent_online
FROM accounts a
JOIN cards c ON c.account_id = a.account_id
JOIN payments p ON p.card_id = c.card_id
GROUP BY a.segment

-- How large is a usual payment?
-- expect: answer
SELECT MEDIAN(amount) AS median, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY amount) AS p90 FROM payments

-- How large is a usual payment in each currency?
-- expect: answer
SELECT currency, MEDIAN(amount) AS median_amount FROM payments GROUP BY currency

-- What was the largest payment?
-- expect: answer
SELECT MAX(amount) AS largest FROM payments WHERE status = 'settled'

-- When was the first and when the last payment?
-- expect: answer
SELECT MIN(paid) AS first_day, MAX(paid) AS last_day FROM payments

-- How many payments does a card have, on average?
-- expect: answer
SELECT AVG(LEAST(n, 30)) AS payments_per_card
FROM (SELECT card_id, COUNT(*) AS n FROM payments GROUP BY card_id) t

-- Which share of the customers has more than three payments?
-- expect: answer
SELECT AVG(CASE WHEN n > 3 THEN 1.0 ELSE 0.0 END) AS share
FROM (
  SELECT a.customer_id, COUNT(*) AS n
  FROM payments p
  JOIN cards c ON c.card_id = p.card_id
  JOIN accounts a ON a.account_id = c.account_id
  GROUP BY a.customer_id
) t

-- How much does a customer spend in a quarter, at most 5000 counted?
-- expect: answer
WITH spending AS (
  SELECT a.customer_id, SUM(p.amount) AS spent
  FROM payments p
  JOIN cards c USING (card_id)
  JOIN accounts a USING (account_id)
  WHERE p.status = 'settled'
  GROUP BY a.customer_id
)
SELECT AVG(LEAST(spent, 5000)) AS mean_spent, MEDIAN(LEAST(spent, 5000)) AS median_spent FROM spending

-- How many customers have accounts in more than one country?
-- expect: answer
SELECT COUNT(*) AS customers
FROM (
  SELECT customer_id, COUNT(DISTINCT country) AS countries
  FROM accounts
  GROUP BY customer_id
  HAVING COUNT(DISTINCT country) > 1
) t

-- How many accounts has a customer?
-- expect: answer
SELECT accounts, COUNT(*) AS customers
FROM (SELECT customer_id, LEAST(COUNT(*), 5) AS accounts FROM accounts GROUP BY customer_id) t
GROUP BY accounts

-- How many accounts have no card?
-- expect: answer
SELECT COUNT(*) AS without_card
FROM accounts a
LEFT JOIN (SELECT account_id, COUNT(*) AS n FROM cards GROUP BY account_id) c ON c.account_id = a.account_id
WHERE c.n IS NULL

-- How many payments are refused, week by week?
-- expect: answer
SELECT DATE_TRUNC('week', paid) AS week, COUNT(*) AS refused FROM payments WHERE status = 'refused' GROUP BY 1 ORDER BY 1

-- Which share of the payments of each category is refunded?
-- expect: answer
SELECT m.category, COUNT(*) FILTER (WHERE p.status = 'refunded') * 1.0 / NULLIF(COUNT(*), 0) AS share
FROM payments p
JOIN merchants m USING (merchant_id)
GROUP BY m.category

-- How much is paid abroad, to merchants of another country than that of the account?
-- expect: answer
SELECT SUM(p.amount) AS abroad
FROM payments p
JOIN cards c ON c.card_id = p.card_id
JOIN accounts a ON a.account_id = c.account_id
JOIN merchants m ON m.merchant_id = p.merchant_id
WHERE m.country <> a.country

-- Who gambles: how many customers paid for it at least once?
-- expect: answer
SELECT COUNT(DISTINCT a.customer_id) AS gamblers
FROM payments p
JOIN cards c ON c.card_id = p.card_id
JOIN accounts a ON a.account_id = c.account_id
JOIN merchants m ON m.merchant_id = p.merchant_id
WHERE m.category = 'gambling'

-- Which merchants have the most payments?
-- expect: answer
SELECT m.title, COUNT(*) AS n
FROM payments p
JOIN merchants m ON m.merchant_id = p.merchant_id
GROUP BY m.title
ORDER BY n DESC
LIMIT 5

-- How many payments have amounts below 10, 10 to 100, and above?
-- expect: answer
SELECT
  CASE WHEN amount < 10 THEN 'small' WHEN amount <= 100 THEN 'middle' ELSE 'large' END AS size,
  COUNT(*) AS payments,
  SUM(amount) AS total
FROM payments
GROUP BY size

-- How many payments have a reference that begins with RF?
-- expect: answer
SELECT LEFT(reference, 2) AS kind, COUNT(*) AS n FROM payments GROUP BY kind

-- How spread out are the amounts by currency?
-- expect: answer
SELECT currency, AVG(amount) AS mean, STDDEV_SAMP(amount) AS deviation, VAR_POP(amount) AS variance
FROM payments
GROUP BY currency

-- What is spent on weekends?
-- expect: answer
SELECT DAYOFWEEK(paid) IN (0, 6) AS weekend, SUM(amount) AS spent, COUNT(*) AS payments FROM payments GROUP BY weekend

-- How much is spent, counting at most 1000 of each customer, and how sure is it?
-- expect: answer
SELECT SUM(amount, contribution_bounds_per_group => (0, 1000)) AS total, DP_INTERVAL_LOW(total) AS low, DP_INTERVAL_HIGH(total) AS high
FROM payments

-- How many payments were made by customers with a credit card?
-- expect: answer
SELECT COUNT(*) AS payments
FROM payments p
JOIN cards c ON c.card_id = p.card_id
WHERE c.scheme = 'credit' AND NOT c.blocked

-- In which years were accounts opened?
-- expect: answer
SELECT EXTRACT(YEAR FROM opened) AS year, COUNT(*) AS accounts FROM accounts GROUP BY 1 ORDER BY 1

-- How many payments and how many accounts are there, one above the other?
-- expect: answer
SELECT what, COUNT(*) AS n
FROM (
  SELECT p.amount AS size, 'payment' AS what FROM payments p
  UNION ALL
  SELECT a.balance AS size, 'account' AS what FROM accounts a
) t
GROUP BY what

-- How many accounts have a blocked card?
-- expect: answer
SELECT COUNT(*) AS accounts
FROM accounts a
WHERE EXISTS (SELECT 1 FROM cards c WHERE c.account_id = a.account_id AND c.blocked)

-- How many payments are larger than the mean payment of their day?
-- expect: refused subquery
-- instead: AS d USING
-- ask: SELECT COUNT(*) FROM payments p JOIN (SELECT card_id, AVG(amount) AS mean FROM payments GROUP BY card_id) AS d USING (card_id) WHERE p.amount > d.mean
SELECT COUNT(*) FROM payments p WHERE amount > (SELECT AVG(amount) FROM payments q WHERE q.day = p.day)

-- Which customers paid to merchant 7 on the same day as somebody else?
-- expect: refused is not joined on the privacy id
-- instead: a.card_id = b.card_id
-- ask: SELECT COUNT(*) FROM payments a JOIN payments b ON a.merchant_id = b.merchant_id AND a.paid = b.paid AND a.card_id = b.card_id
SELECT COUNT(*) FROM payments a JOIN payments b ON a.merchant_id = b.merchant_id AND a.paid = b.paid
