-- podium_estimate, from reports and from aggregates
\set VERBOSITY terse
CREATE TABLE reports (city text, report float8);
INSERT INTO reports SELECT (ARRAY['Aarhus', 'Bergen'])[1 + abs(x) % 2], x FROM generate_series(-60, 180) x;
INSERT INTO reports VALUES ('Cork', 34), ('Delft', NULL);
CREATE FUNCTION rounded(e podium_summary) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN value LIKE '%.%' THEN round(value::numeric, 2)::text ELSE value END, '  ')
    FROM unnest(string_to_array(btrim(e::text, '()'), ',')) value $$;
SELECT rounded(podium_estimate(report, 1, 120, 1.0)) FROM reports;
SELECT rounded(podium_estimate(report, 1, 120, 4.0, 'laplace')) FROM reports;
SELECT rounded(podium_estimate_at(aggregate, confidence => 0.5))
FROM (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports) x;
SELECT pg_typeof(podium_estimate(report, 1, 120, 1)) FROM reports;
\d podium_summary

-- the mean is that of the reports, and lies inside the interval
SELECT abs((e).mean - average) < 1e-6 AS mean, (e).lower < average AND average < (e).upper AS interval,
       abs((e).variance - (e).standard_deviation ^ 2) < 1e-6 AS spread
FROM (SELECT podium_estimate(report, 1, 120, 4.0, 'laplace') AS e, avg(report) AS average FROM reports) x;

-- a spread that cannot be measured is NULL and not 0
SELECT (e).n > 2 AS enough, (e).variance, (e).standard_deviation
FROM (SELECT podium_estimate(report, 1, 120, 1) AS e FROM reports) x;

-- a group of one report, or none, has no estimate, and the query does not fail
SELECT city, round((podium_estimate(report, 1, 120, 1)).mean::numeric, 6) AS mean FROM reports GROUP BY city ORDER BY city;
SELECT city, (podium_estimate(report, 1, 120, 1)).* FROM reports WHERE city > 'C' GROUP BY city ORDER BY city;
SELECT (podium_estimate(report, 1, 120, 1)).n FROM reports WHERE false;
SELECT podium_estimate(NULL::podium_aggregate) IS NULL AS nothing, podium_estimate_at(podium_aggregate(1, 1, 120, 1), NULL) IS NULL;

-- reports, their aggregate and merged aggregates lead to the same estimate
SELECT podium_estimate(report, 1, 120, 1) = podium_estimate(podium_aggregate(report, 1, 120, 1)) AS aggregate FROM reports;
SELECT podium_estimate(podium_merge(aggregate)) = (SELECT podium_estimate(report, 1, 120, 1) FROM reports) AS merged
FROM (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY city) x;

-- with two outputs, only the mean is known
SELECT (e).n, (e).mean IS NOT NULL AS mean, (e).variance, (e).standard_deviation
FROM (SELECT podium_estimate(podium_privatize(34, 1, 120, 1, 'duchi'), 1, 120, 1, 'duchi') AS e
      FROM generate_series(1, 100)) x;

-- the difference between two groups is that of their means
CREATE TABLE groups AS SELECT city, podium_aggregate(report + 20 * (city = 'Bergen')::int, 1, 120, 1) AS aggregate
FROM reports GROUP BY city;
SELECT round((d).difference::numeric, 6) AS difference, round((d).standard_error::numeric, 4) AS error,
       round((d).p_value::numeric, 4) AS p, (d).confidence,
       abs((d).difference - (podium_estimate(a.aggregate)).mean + (podium_estimate(b.aggregate)).mean) < 1e-9 AS means,
       (d).lower < (d).difference AND (d).difference < (d).upper AS interval
FROM groups a, groups b, podium_difference(a.aggregate, b.aggregate) d WHERE a.city = 'Aarhus' AND b.city = 'Bergen';
SELECT (podium_difference_at(a.aggregate, b.aggregate, confidence => 0.5)).upper
     < (podium_difference_at(a.aggregate, b.aggregate, 0.9)).upper AS narrower,
       podium_difference(a.aggregate, b.aggregate) = podium_difference_at(a.aggregate, b.aggregate, 0.95) AS same
FROM groups a, groups b WHERE a.city = 'Aarhus' AND b.city = 'Bergen';
SELECT (podium_difference(a.aggregate, b.aggregate)).* FROM groups a, groups b WHERE a.city = 'Aarhus' AND b.city = 'Cork';
SELECT podium_difference(aggregate, NULL) IS NULL AS nothing FROM groups LIMIT 1;
SELECT podium_difference(aggregate, podium_aggregate(1, 1, 120, 2)) FROM groups WHERE city = 'Cork' GROUP BY aggregate;
SELECT podium_difference_at(aggregate, aggregate, 1) FROM groups;
SELECT podium_difference_at(aggregate, aggregate, 0.9, 'wide') FROM groups;
-- its kinds of interval, for these people and for a population
SELECT (d).confidence, (d).interval, (d).about, round((d).lower::numeric, 2) AS lower, round((d).upper::numeric, 2) AS upper,
       round((d).p_value::numeric, 2) AS p
FROM groups a, groups b, unnest(ARRAY['normal', 'guaranteed', 'anytime']) name, unnest(ARRAY[false, true]) population,
     podium_difference_at(a.aggregate, b.aggregate, 0.9, name, population) d
WHERE a.city = 'Aarhus' AND b.city = 'Bergen' ORDER BY array_position(ARRAY['normal', 'guaranteed', 'anytime'], name), population;
SELECT podium_difference_at(aggregate, podium_aggregate(1, 1, 120, 2), 0.9, 'guaranteed')
FROM groups WHERE city = 'Cork' GROUP BY aggregate;
DROP TABLE groups;

SELECT podium_estimate_at(podium_aggregate(1, 1, 120, 1), 0);
SELECT podium_estimate_at(podium_aggregate(1, 1, 120, 1), 1);
SELECT podium_estimate_at(podium_aggregate(1, 1, 120, 1), 'nan');

-- the kinds of interval, for these people and for a population
SELECT (e).interval, (e).about, round((e).lower::numeric, 2) AS lower, round((e).upper::numeric, 2) AS upper
FROM (SELECT podium_estimate_at(aggregate, 0.9, name, population) AS e
      FROM (SELECT podium_aggregate(report, 1, 120, 4, 'laplace') AS aggregate FROM reports) x,
           unnest(ARRAY['normal', 'guaranteed', 'anytime']) name, unnest(ARRAY[false, true]) population) y;
SELECT podium_estimate_at(podium_aggregate(1, 1, 120, 1), 0.9, 'wide');
SELECT podium_estimate_at(podium_aggregate(1, 1, 120, 1), 0.9, "interval" => '');
-- no interval holds at all times if something left a frame
SELECT i, (e).mean IS NOT NULL AS mean, (e).lower IS NOT NULL AS interval
FROM (SELECT i, podium_estimate_at(podium_merge(aggregate) OVER (ORDER BY i ROWS 1 PRECEDING), 0.9, 'anytime') AS e
      FROM (SELECT i, podium_aggregate(i * 10 + j, 1, 120, 1) AS aggregate
            FROM generate_series(1, 3) i, generate_series(1, 9) j GROUP BY i) x) y;
DROP TABLE reports;
DROP FUNCTION rounded;
