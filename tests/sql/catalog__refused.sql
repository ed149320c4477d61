SELECT customer, COUNT(*) FROM sales GROUP BY customer
--> Unsupported: customer is part of the privacy id. Grouping by it would show each unit on its own

SELECT COUNT(*) FROM sales WHERE customer = 'c1'
--> Unsupported: customer is part of the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(DISTINCT customer) FROM sales
--> Unsupported: customer is part of the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(DISTINCT store, kind) FROM sales
--> Unsupported: DISTINCT takes one column here

SELECT SUM(DISTINCT (store, customer)) FROM sales
--> Unsupported: DISTINCT takes one column here

SELECT COUNT(*) FROM sales s JOIN returns r USING (customer)
--> Unsupported: returns is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM sales s JOIN returns r ON s.store = r.shop
--> Unsupported: returns is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM sales s JOIN returns r ON s.store = r.shop AND s.kind = r.customer
--> Unsupported: customer is part of the privacy id. It can only be compared with the same part of the id of another table

SELECT COUNT(*) FROM sales s JOIN returns r ON s.store = r.customer AND s.customer = r.shop
--> Unsupported: customer is part of the privacy id. It can only be compared with the same part of the id of another table

SELECT COUNT(*) FROM (SELECT customer, COUNT(*) AS n FROM sales GROUP BY customer)
--> Unsupported: This subquery aggregates over several units, which would give exact results before noise is added

SELECT COUNT(*) FROM (SELECT DISTINCT store FROM sales)
--> Unsupported: SELECT DISTINCT in a subquery compares rows of different units

SELECT COUNT(*) FROM sales s WHERE EXISTS (SELECT 1 FROM returns r WHERE r.customer = s.customer)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM sales WHERE customer IN (SELECT customer FROM returns)
--> Unsupported: This condition does not compare the privacy id, so it would show rows of other units

SELECT COUNT(*) FROM (SELECT shop, customer FROM returns UNION ALL SELECT customer, shop FROM returns)
--> Unsupported: The privacy id is in different positions in the branches of UNION ALL

SELECT COUNT(*) FROM (SELECT customer FROM returns INTERSECT SELECT customer FROM returns)
--> Unsupported: INTERSECT without the privacy id compares rows of different units

SELECT COUNT(*) FROM sales s LEFT JOIN returns r ON s.store = r.shop AND s.customer = r.customer WHERE r.customer = 'a'
--> Unsupported: customer may be NULL here because of the LEFT JOIN

SELECT kind AS customer, COUNT(*) FROM sales GROUP BY kind
--> Unsupported: customer is the name of the privacy id
