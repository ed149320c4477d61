SELECT COUNT(*) FROM posts p JOIN replies r ON r.post_id = p.post_id
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d0) adds ()
-->   columns c0: post_id
-->   posts
-->   columns d0: post_id
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT COUNT(*) FROM replies r JOIN posts p USING (post_id)
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d0) adds ()
-->   columns c0: post_id
-->   posts
-->   columns d0: post_id
-->   replies
--> of replies, posts: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT topic, COUNT(*), SUM(likes), AVG(score) FROM posts p JOIN replies r USING (post_id) WHERE score > 0 AND likes > 3 AND likes < score GROUP BY topic
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d1) adds (p0: d0)
-->   columns c0: post_id, c1: score, c2: topic
-->   where score >= 1
-->   posts
-->   columns d0: likes, d1: post_id
-->   where likes >= 4
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> where c1 > p0
--> k0: c2 (text, 2 values)
--> a0: rows (integer)
--> a1: total of p0 from 0 to 9 steps of 1 (integer)
--> a2: moments of c1 from -5 to 50 steps of 1 (real)
--> topic = k0 (text)
--> count = a0 (integer)
--> sum = a1 (integer)
--> avg = a2 (real)

SELECT COUNT(*) FROM posts a, posts b WHERE a.tag = b.tag AND a.post_id < b.post_id
--> join 8 a person, 2 a key with 8 a person, 2 a key on (c1 = d1) adds (p0: d0)
-->   columns c0: post_id, c1: tag
-->   posts
-->   columns d0: post_id, d1: tag
-->   posts
--> of posts: 1 groups, 1 rows
--> where c0 < p0
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(u.age) FROM replies r JOIN posts p ON p.post_id = r.post_id JOIN users u ON u.id = p.author_id
--> join 9 a person, 3 a key with 8 a person, 2 a key on (c0 = d1) adds (p0: d0)
-->   columns c0: post_id
-->   replies
-->   columns d0: c0, d1: p0
-->   join of the same person on () adds (p0: d0)
-->     columns c0: age
-->     users
-->     columns d0: post_id
-->     posts
--> of replies, posts, users: 1 groups, 1 rows
--> a0: moments of p0 from 0 to 110 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM posts p JOIN replies r ON r.likes = p.author_id
--> join 8 a person, 2 a key with 9 a person, 3 a key on ( = d0) adds ()
-->   columns 
-->   posts
-->   columns d0: likes
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT AVG(LEAST(n, 9)) FROM (SELECT author_id, post_id, COUNT(*) AS n FROM posts GROUP BY author_id, post_id) p JOIN replies r ON p.post_id = r.post_id
--> join 9 a person, 3 a key with 8 a person, 2 a key on (c0 = d0) adds (p0: d1)
-->   columns c0: post_id
-->   replies
-->   columns d0: c0, d1: f0
-->   each person, c0: f0 rows
-->     columns c0: post_id
-->     posts
--> of posts, replies: 1 groups, 1 rows
--> a0: moments of LEAST(p0, 9) from 0 to 9 steps of 1 (real)
--> avg = a0 (real)

SELECT COUNT(*) FROM posts p JOIN replies r ON r.post_id = p.post_id AND r.likes = p.score
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d1, c1 = d0) adds ()
-->   columns c0: post_id, c1: score
-->   posts
-->   columns d0: likes, d1: post_id
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT zone, COUNT(*) FROM posts p JOIN replies r USING (post_id) JOIN regions g ON g.region = p.tag GROUP BY zone
--> join 9 a person, 3 a key with 8 a person, 2 a key on (c0 = d0) adds (p0: d1)
-->   columns c0: post_id
-->   replies
-->   columns d0: c0, d1: p0
-->   join on (c1 = d0) adds (p0: d1)
-->     columns c0: post_id, c1: tag
-->     posts
-->     columns d0: region, d1: zone
-->     regions
--> of posts, replies: 1 groups, 1 rows
--> k0: p0 (text, 2 values)
--> a0: rows (integer)
--> zone = k0 (text)
--> count = a0 (integer)

SELECT COUNT(*) FROM views v JOIN views w ON v.post_id = w.post_id WHERE v.long
--> join 1 a person, 4 a key with 1 a person, 4 a key on (c0 = d0) adds ()
-->   columns c0: post_id
-->   views
-->   columns d0: post_id
-->   where long
-->   views
--> of views: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)

SELECT topic, AVG(twice) FROM (SELECT topic, 2 * likes AS twice, score FROM posts p JOIN replies r USING (post_id) WHERE score > 0) x WHERE twice > 4 AND twice > score GROUP BY topic
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d1) adds (p0: d0)
-->   columns c0: post_id, c1: score, c2: topic
-->   where score >= 1
-->   posts
-->   columns d0: likes, d1: post_id
-->   where 2 * likes >= 5
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> where 2 * p0 > c1
--> k0: c2 (text, 2 values)
--> a0: moments of 2 * p0 from 0 to 18 steps of 1 (real)
--> topic = k0 (text)
--> avg = a0 (real)

WITH x AS (SELECT * FROM posts p JOIN replies r ON p.post_id = r.post_id) SELECT COUNT(*) FROM x WHERE likes > 2
--> join 8 a person, 2 a key with 9 a person, 3 a key on (c0 = d0) adds ()
-->   columns c0: post_id
-->   posts
-->   columns d0: post_id
-->   where likes >= 3
-->   replies
--> of posts, replies: 1 groups, 1 rows
--> a0: rows (integer)
--> count = a0 (integer)
