-- How many impressions were there?
-- expect: answer
select count(*) from impressions

-- How many users saw anything at all?
-- expect: answer
select count(distinct user_id) as reach from impressions

-- Impressions by day.
-- expect: answer
select day, count(*) as impressions from impressions group by day order by day

-- Impressions by week.
-- expect: answer
select date_trunc('week', day) as week, count(*) as impressions from impressions group by week order by week

-- Impressions by hour of the day and placement.
-- expect: answer
select hour, placement, count(*) as n from impressions group by hour, placement order by n desc limit 20

-- How many impressions and how much watching time does each campaign have?
-- expect: answer
select c.title, count(*) as impressions, sum(i.seconds) as seconds
from impressions i
join campaigns c on c.campaign_id = i.campaign_id
group by c.title
order by impressions desc

-- How many people does each channel reach?
-- expect: answer
select c.channel, count(distinct i.user_id) as reach
from impressions i
join campaigns c using (campaign_id)
group by c.channel

-- What is the average bid by channel, for campaigns with large budgets?
-- expect: answer
select c.channel, avg(i.bid) as mean_bid
from impressions as i
inner join campaigns as c on i.campaign_id = c.campaign_id
where c.daily_budget >= 500
group by c.channel

-- How many users are there by age and device?
-- expect: answer
select age_band, device, count(*) as users from users group by age_band, device

-- How many users come from each country?
-- expect: answer
select country, count(*) as users from users group by country having count(*) > 50 order by users desc

-- Which share of the clicks converts?
-- expect: answer
select avg(case when converted then 1.0 else 0.0 end) as conversion_rate from clicks

-- Conversions and clicks by campaign, and their ratio.
-- expect: answer
select
  campaign_id,
  count(*) as clicks,
  count(*) filter (where converted) as conversions,
  count(*) filter (where converted) / nullif(count(*), 0) as rate
from clicks
group by campaign_id

-- What did clicks cost us by month?
-- expect: answer
select extract(month from day) as month, sum(price) as spent, avg(price) as cost_per_click from clicks group by month

-- What is the median price of a click, and its 90th percentile?
-- expect: answer
select median(price) as median_price, quantile(price, 0.9) as p90 from clicks

-- What is the highest bid?
-- expect: answer
select max(bid) as highest from impressions

-- What is the highest price, if I propose that it moves by at most 50 steps?
-- expect: answer
select max(price, method => 'propose', bound => 50) as highest from clicks

-- How long do people look, by placement?
-- expect: answer
select placement, avg(seconds) as mean_seconds, stddev_samp(seconds) as deviation, count(seconds) as measured
from impressions
group by placement

-- How many impressions have no time on record?
-- expect: answer
select count(*) - count(seconds) as missing from impressions

-- How many impressions were on the shop pages, and how many on news pages?
-- expect: answer
select case when page like '/shop/%' then 'shop' when page like '/news/%' then 'news' else 'other' end as section, count(*) as n
from impressions
group by section

-- Which pages are seen most?
-- expect: answer
select page, count(*) as n from impressions group by page order by n desc

-- How many impressions does a user see, on average and at the median?
-- expect: answer
select avg(least(n, 50)) as mean, median(least(n, 50)) as median
from (select user_id, count(*) as n from impressions group by user_id) per_user

-- How many users saw a campaign three times or more?
-- expect: answer
with seen as (
  select user_id, campaign_id, count(*) as times
  from impressions
  group by user_id, campaign_id
)
select campaign_id, count(*) as users
from seen
where times >= 3
group by campaign_id

-- How many campaigns does a user see?
-- expect: answer
select campaigns, count(*) as users
from (
  select user_id, least(count(distinct campaign_id), 12) as campaigns
  from impressions
  group by user_id
) t
group by campaigns
order by campaigns

-- How many impressions do users of each age see, by device?
-- expect: answer
select u.age_band, u.device, count(*) as impressions
from users u
join impressions i on i.user_id = u.user_id
group by u.age_band, u.device

-- How many of those who saw something also clicked something?
-- expect: answer
select count(distinct i.user_id) as clickers
from (select distinct user_id from impressions) i
join (select distinct user_id from clicks) c on c.user_id = i.user_id

-- How much money do users bring by age, counting at most 20 for each of them?
-- expect: answer
select u.age_band, sum(least(t.spent, 20)) as spent
from users u
join (select user_id, sum(price) as spent from clicks group by user_id) t on t.user_id = u.user_id
group by u.age_band

-- How many events of either kind were there each month?
-- expect: answer
select date_trunc('month', day) as month, kind, count(*) as events
from (
  select user_id, day, 'impression' as kind from impressions
  union all
  select user_id, day, 'click' as kind from clicks
) e
group by month, kind

-- How many users signed up in each quarter?
-- expect: answer
select date_trunc('quarter', signup) as quarter, count(*) as users from users group by 1 order by 1

-- How many users came with the autumn campaigns, from a phone?
-- expect: answer
select count(*) as n
from users
where device = 'phone' and signup between date '2025-09-01' and date '2025-11-30'

-- How sure is the number of clicks of each channel?
-- expect: answer
select c.channel, count(*) as n, dp_interval_low(n) as low, dp_interval_high(n) as high
from clicks k
join campaigns c on c.campaign_id = k.campaign_id
group by c.channel

-- Which placement is the most frequent one?
-- expect: answer
select mode(placement) as placement from impressions where hour >= 18

-- Do higher bids get longer looks?
-- expect: answer
select corr(bid, seconds) as r, covar_samp(bid, seconds) as covariance from impressions

-- How many impressions did people who clicked on the same campaign see?
-- expect: answer
select i.campaign_id, count(*) as impressions
from impressions i
join (select distinct user_id, campaign_id from clicks) k on k.user_id = i.user_id and k.campaign_id = i.campaign_id
group by i.campaign_id

-- Which users saw the same page as others?
-- expect: refused is not joined on the privacy id
-- instead: SELECT COUNT(*) … GROUP BY page
-- ask: SELECT COUNT(*) FROM impressions GROUP BY page
select count(*) from impressions a join impressions b on a.page = b.page

-- Which pages were seen at each placement, as a list?
-- expect: refused aggregate is not supported
-- instead: GROUP BY x
-- ask: SELECT placement, page, COUNT(*) FROM impressions GROUP BY placement, page
select placement, array_agg(page) from impressions group by placement

-- What did the latest thousand clicks cost?
-- expect: refused in a subquery would choose rows
-- instead: WHERE day >= …
-- ask: SELECT AVG(price) FROM clicks WHERE day >= '2026-10-15'
select avg(price) from (select price from clicks order by day desc limit 1000) t
