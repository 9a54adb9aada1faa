-- podium_aggregate and podium_merge are exact with every plan
\set VERBOSITY terse
CREATE TABLE reports (id int, city text, report float8);
INSERT INTO reports
    SELECT i, (ARRAY['Aarhus', 'Bergen', 'Cork'])[1 + i % 3], podium_privatize(34, 1, 120, 1)
    FROM generate_series(1, 100000) i;
ANALYZE reports;

-- the result is the same to the bit if it is computed serially, in parallel, by hash, by sort, on disk or from parts
CREATE TABLE answers (how text, city text, aggregate podium_aggregate);
SET max_parallel_workers_per_gather = 0;
INSERT INTO answers SELECT 'serial', '', podium_aggregate(report, 1, 120, 1) FROM reports;
INSERT INTO answers SELECT 'serial', city, podium_aggregate(report, 1, 120, 1) FROM reports GROUP BY city;
INSERT INTO answers SELECT 'ordered', '', podium_aggregate(report, 1, 120, 1 ORDER BY report) FROM reports;
INSERT INTO answers SELECT 'named mechanism', '', podium_aggregate(report, 1, 120, 1, 'podium') FROM reports;
SET enable_hashagg = off;
INSERT INTO answers SELECT 'sorted', city, podium_aggregate(report, 1, 120, 1) FROM reports GROUP BY city;
RESET enable_hashagg;
INSERT INTO answers SELECT 'grouping sets', coalesce(city, ''), podium_aggregate(report, 1, 120, 1)
    FROM reports GROUP BY ROLLUP (city);
INSERT INTO answers SELECT 'filtered', 'Cork', podium_aggregate(report, 1, 120, 1) FILTER (WHERE city = 'Cork')
    FROM reports;
INSERT INTO answers SELECT 'merged', '', podium_merge(aggregate) FROM answers WHERE how = 'serial' AND city <> '';
INSERT INTO answers SELECT 'merged by two', '', podium_merge(podium_merge(a.aggregate, b.aggregate), c.aggregate)
    FROM answers a, answers b, answers c
    WHERE a.how = 'serial' AND b.how = 'serial' AND c.how = 'serial'
      AND a.city = 'Cork' AND b.city = 'Aarhus' AND c.city = 'Bergen';
SET work_mem = '64kB';
SET enable_sort = off;
INSERT INTO answers SELECT 'spilled', '', podium_merge(aggregate)
    FROM (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY id % 1000) x;
RESET enable_sort;
RESET work_mem;
SET jit_above_cost = 0;
INSERT INTO answers SELECT 'compiled', city, podium_aggregate(report, 1, 120, 1) FROM reports GROUP BY city;
RESET jit_above_cost;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
INSERT INTO answers SELECT 'parallel', '', podium_aggregate(report, 1, 120, 1) FROM reports;
INSERT INTO answers SELECT 'parallel', city, podium_aggregate(report, 1, 120, 1) FROM reports GROUP BY city;
CREATE TABLE parts AS SELECT id % 100 AS part, podium_aggregate(report, 1, 120, 1) AS aggregate FROM reports GROUP BY 1;
INSERT INTO answers SELECT 'parallel merge', '', podium_merge(aggregate) FROM parts;
RESET ALL;
INSERT INTO answers SELECT 'window', '', aggregate FROM (
    SELECT podium_aggregate(report, 1, 120, 1) OVER (ORDER BY id) AS aggregate, row_number() OVER (ORDER BY id) AS i
    FROM (SELECT id, report FROM reports WHERE id <= 1000) few) x WHERE i = 1000;
SELECT a.how, city, a.aggregate = b.aggregate AS same, (podium_estimate(a.aggregate)).n
FROM answers a JOIN answers b USING (city)
WHERE b.how = 'serial' AND a.how NOT IN ('serial', 'window') ORDER BY a.how COLLATE "C", city COLLATE "C";
SELECT a.aggregate = (SELECT podium_aggregate(report, 1, 120, 1) FROM reports WHERE id <= 1000) AS same
FROM answers a WHERE how = 'window';

-- in windows, each row has the aggregate and the estimate of its frame, while rows enter and leave it
CREATE TABLE days AS SELECT id, CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN 1e9 ELSE report END AS report
FROM reports WHERE id <= 200;
UPDATE days SET report = NULL WHERE id BETWEEN 100 AND 110;
SELECT count(*), count(aggregate) AS aggregates,
       bool_and(aggregate IS NOT DISTINCT FROM wanted AND e IS NOT DISTINCT FROM podium_estimate(wanted)) AS same
FROM (SELECT podium_aggregate(report, 1, 120, 1) OVER few AS aggregate,
             podium_estimate(report, 1, 120, 1, 'podium') OVER few AS e,
             (SELECT podium_aggregate(report, 1, 120, 1) FROM days f WHERE f.id BETWEEN d.id - 3 AND d.id) AS wanted
      FROM days d WINDOW few AS (ORDER BY id ROWS 3 PRECEDING)) x;
SELECT count(*), count(aggregate) AS aggregates, -- after its flags, one of which says that something left the frame
       bool_and(substr(aggregate::text, 34) IS NOT DISTINCT FROM substr(wanted::text, 34)) AS same
FROM (SELECT podium_merge(aggregate) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS aggregate,
             (SELECT podium_aggregate(report, 1, 120, 1) FROM days f WHERE f.id BETWEEN w.id - 2 AND w.id + 1) AS wanted
      FROM (SELECT id, podium_aggregate(report, 1, 120, 1) AS aggregate FROM days GROUP BY id) w) x;
SELECT podium_aggregate(report, 1, 120, id) OVER (ORDER BY id ROWS 1 PRECEDING) IS NULL FROM days WHERE id < 5;
DROP TABLE days;

-- rows without a report are ignored; without any report there is no aggregate
SELECT podium_aggregate(report, 1, 120, 1) IS NULL AS none FROM reports WHERE false;
SELECT podium_aggregate(NULL, 1, 120, 1) IS NULL AS nulls FROM reports;
SELECT podium_merge(NULL::podium_aggregate) IS NULL AS nulls;
SELECT podium_merge(s, NULL) = s AND podium_merge(NULL, s) = s AS kept, podium_merge(NULL, NULL) IS NULL AS nulls
FROM (SELECT podium_aggregate(report, 1, 120, 1) AS s FROM reports) x;
SELECT (podium_estimate(podium_aggregate(report, 1, 120, 1))).n
FROM (VALUES (NULL), (1.0), (NULL), (2.0), (NULL)) v (report);
SELECT podium_merge(aggregate) = (SELECT aggregate FROM answers WHERE how = 'serial' AND city = '') AS same
FROM (SELECT aggregate FROM answers WHERE how = 'serial' AND city <> '' UNION ALL SELECT NULL) x;

-- reports that this collection cannot have produced are refused, and counted as refused
SELECT (e).n, (e).refused
FROM (SELECT podium_estimate(report, 1, 120, 1) AS e
      FROM (VALUES (1.0::float8), (2), ('nan'), ('infinity'), (-1e9)) v (report)) x;

-- parameters that differ from row to row are an error that shows them, unless each group has its own
SELECT podium_aggregate(x, 1, 120, x) FROM generate_series(1, 2) x;
SELECT podium_aggregate(x, x, 120, 1) FROM generate_series(1, 2) x;
SELECT podium_aggregate(x, 1, 120 + x, 1) FROM generate_series(1, 2) x;
SELECT podium_aggregate(1, 1, 120, 1, m) FROM (VALUES ('podium'), ('laplace')) v (m);
SELECT podium_estimate(1, 1, 120, 1, m) FROM (VALUES ('podium-tuned:0.1'), ('podium-tuned:0.2')) v (m);
SELECT podium_estimate(1, 1, 120, 1, m) FROM (VALUES ('minimax:16'), ('minimax:32')) v (m);
SELECT x % 3 AS question, (podium_estimate(x, x % 3, 120, 1)).n FROM generate_series(1, 99) x GROUP BY 1 ORDER BY 1;
SELECT podium_aggregate(1, NULL, 120, 1);
SELECT podium_aggregate(1, 1, NULL, 1);
SELECT podium_aggregate(1, 1, 120, NULL);
SELECT podium_aggregate(1, 1, 120, 1, NULL);
SELECT podium_aggregate(1, 1, 120, 0);
SELECT podium_aggregate(1, 1, 120, 1, 'nonsense');

-- aggregates of different collections are never merged
SELECT podium_merge(aggregate) FROM (
    SELECT podium_aggregate(1, 1, 120, 1) AS aggregate UNION ALL SELECT podium_aggregate(1, 1, 120, 2)) x;
SELECT podium_merge(podium_aggregate(1, 1, 120, 1), podium_aggregate(1, 0, 120, 1));
SELECT podium_merge(podium_aggregate(1, 1, 120, 1), podium_aggregate(1, 1, 120, 1, 'duchi'));

-- merging does not change its arguments
SELECT (podium_estimate(podium_merge(aggregate, aggregate))).n AS both, (podium_estimate(aggregate)).n AS one
FROM (SELECT podium_aggregate(x, 1, 120, 1) AS aggregate FROM generate_series(1, 120) x OFFSET 0) s;

-- a backend keeps some collections; aggregates of many more collections still work
CREATE TABLE others AS SELECT podium_aggregate(34, 1, 200 + i, 1) AS aggregate FROM generate_series(1, 100) i GROUP BY i;
\c -
\set VERBOSITY terse
SELECT podium_aggregate(34, 1, 120, 1) AS before \gset
SELECT sum((podium_estimate(aggregate)).n) FROM others;
SELECT podium_aggregate(34, 1, 120, 1) = :'before' AS same;
DROP TABLE others;

-- the transition function cannot be called directly
SELECT podium_aggregate_add(NULL, 1, 1, 120, 1);
DROP TABLE reports, answers, parts;
