SELECT COUNT(*) FROM posts p LEFT JOIN replies r ON r.post_id = p.post_id
--> Unsupported: A LEFT JOIN with rows of other units would show who has no match

SELECT COUNT(DISTINCT p.author_id) FROM posts p JOIN replies r USING (post_id)
--> Unsupported: COUNT(DISTINCT p.author_id) is not supported where rows of different units are joined

SELECT COUNT(DISTINCT tag) FROM posts p JOIN replies r USING (post_id)
--> Unsupported: COUNT(DISTINCT tag) is not supported where rows of different units are joined

SELECT MEDIAN(score) FROM posts p JOIN replies r USING (post_id)
--> Unsupported: MEDIAN(score) is not supported where rows of different units are joined

SELECT SUM(score, contribution_bounds_per_group => (0, 10)) FROM posts p JOIN replies r USING (post_id)
--> Unsupported: SUM(score, contribution_bounds_per_group => (0, 10)) is not supported where rows of different units are joined

SELECT author_id, COUNT(*) FROM posts p JOIN replies r USING (post_id) GROUP BY author_id
--> Unsupported: author_id is the privacy id. Grouping by it would show each unit on its own

SELECT user_id FROM posts p JOIN replies r USING (post_id)
--> Unsupported: user_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT COUNT(*) FROM posts p JOIN replies r USING (post_id) WHERE p.author_id = 3
--> Unsupported: author_id is the privacy id. It cannot be selected, filtered or aggregated

SELECT tag, COUNT(*) FROM posts p JOIN replies r USING (post_id) GROUP BY tag
--> Unbounded: GROUP BY tag needs declared values where rows of different units are joined

SELECT COUNT(*) FROM (SELECT topic, COUNT(*) FROM posts p JOIN replies r USING (post_id) GROUP BY topic) x
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT DISTINCT author_id FROM posts p JOIN replies r USING (post_id)) x
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT AVG(likes) AS m FROM posts p JOIN replies r USING (post_id)) x
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT topic FROM posts p JOIN replies r USING (post_id) UNION ALL SELECT topic FROM posts) x
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT author_id FROM posts p JOIN replies r USING (post_id) INTERSECT SELECT id FROM users) x
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT author_id, topic FROM posts p JOIN replies r USING (post_id)) x JOIN users u ON u.id = x.author_id
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM (SELECT author_id, tag FROM posts p JOIN replies r USING (post_id)) x JOIN regions g ON g.region = x.tag
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(*) FROM users WHERE id IN (SELECT author_id FROM posts p JOIN replies r USING (post_id))
--> Unsupported: Joined rows of different units cannot be joined further, combined or aggregated in a subquery

SELECT COUNT(DISTINCT author_id) FROM (SELECT author_id, topic FROM posts p JOIN replies r USING (post_id)) x
--> Unsupported: COUNT(DISTINCT author_id) is not supported where rows of different units are joined

SELECT COUNT(*) FROM posts p JOIN replies r ON r.post_id = p.post_id JOIN posts q ON q.tag = p.tag
--> Unsupported: Rows of three different units would meet

SELECT COUNT(*) FROM posts a JOIN posts b ON a.weight = b.weight
--> Unsupported: weight is declared as real, and rows of different units are joined on equal integers, texts, dates or booleans

SELECT COUNT(*) FROM posts a JOIN posts b ON a.weight = b.score
--> Unsupported: weight is declared as real, and rows of different units are joined on equal integers, texts, dates or booleans

SELECT COUNT(*) FROM posts a JOIN replies b ON a.post_id > b.post_id
--> Unsupported: replies is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM users a JOIN users b ON a.age = b.age
--> Unsupported: users is not joined on the privacy id, so rows of different units would meet

SELECT COUNT(*) FROM users u JOIN replies r ON r.day = u.id
--> Unsupported: id is the privacy id. It can only be compared with the privacy id of another table

SELECT COUNT(*) FROM posts p JOIN replies r USING (post_id) JOIN care c ON c.doctor_id = p.score
--> Unsupported: care and posts are about different populations, and no column of one holds the id of the other

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 2) topic, COUNT(*) FROM posts p JOIN replies r USING (post_id) GROUP BY topic
--> Unsupported: max_groups_contributed = 2 is more than the policy of posts and replies allows, which is 1
