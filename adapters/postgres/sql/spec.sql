-- podium_spec: one text instead of min, max, epsilon and mechanism
\set VERBOSITY terse

-- it is stored as its canonical line
SELECT ' minimax  range=1.0:120 epsilon=1 '::podium_spec AS blanks,
       'minimax epsilon=1e0 range=1:120 cells=256'::podium_spec AS default_named,
       podium_spec('podium-tuned spread=5e-2 epsilon=0.5 range=-1:1') AS tuned;
CREATE TABLE questions (name text, a text, b varchar(80), c podium_spec);
INSERT INTO questions
    VALUES ('age', 'minimax epsilon=1 range=1:120', 'podium  range=1:120 epsilon=2', 'duchi range=0:1 epsilon=1'::text);
\copy questions TO 'results/spec.binary' (FORMAT binary)
\copy questions FROM 'results/spec.binary' (FORMAT binary)
SELECT DISTINCT c::text FROM questions;
SELECT podium_privatize(34, a) IS NOT NULL AS a, podium_privatize(34, b) IS NOT NULL AS b,
       podium_privatize(0.5, c) IS NOT NULL AS c FROM questions;

-- the arguments have the same names as in the longer form
SELECT p.oid::regprocedure AS function, provolatile AS volatile, proisstrict AS strict, proparallel AS parallel,
       aggcombinefn AS combine
FROM pg_proc p LEFT JOIN pg_aggregate ON aggfnoid = p.oid WHERE 'podium_spec'::regtype = ANY (proargtypes)
    AND proname IN ('podium_privatize', 'podium_aggregate', 'podium_estimate', 'podium_aggregate_add')
ORDER BY 1::text COLLATE "C";
SELECT podium_privatize(NULL, 'podium epsilon=1 range=0:1'), podium_privatize(0.5, NULL);
SELECT count(DISTINCT podium_privatize(34, 'podium epsilon=1 range=1:120')) > 990 AS anew FROM generate_series(1, 1000);

-- for every mechanism, reports of each form can be aggregated by both forms
CREATE TABLE specs AS
    SELECT spec, split_part(spec, ' ', 1) || coalesce(':' || substring(spec from '(?:cells|spread)=(.*)'), '') AS mechanism
FROM unnest(ARRAY['podium epsilon=2 range=1:120', 'podium-approximate epsilon=2 range=1:120',
    'laplace epsilon=2 range=1:120', 'staircase epsilon=2 range=1:120', 'duchi epsilon=2 range=1:120', 'piecewise epsilon=2 range=1:120',
    'hybrid epsilon=2 range=1:120', 'podium-tuned epsilon=2 range=1:120 spread=0.05', 'minimax epsilon=2 range=1:120',
    'minimax epsilon=2 range=1:120 cells=1024']) spec;
CREATE TABLE reports AS SELECT spec, mechanism, i, podium_privatize(i % 120, spec) AS report
FROM specs, generate_series(1, 1200) i;
SELECT spec, mechanism, a = b AS same, podium_spec(a) = spec AS its_own, (podium_estimate(a)).refused,
       e = podium_estimate(a) AS estimate
FROM (SELECT spec, mechanism, podium_aggregate(report, spec) AS a, podium_aggregate(report, 1, 120, 2, mechanism) AS b,
             podium_estimate(report, spec) AS e FROM reports GROUP BY 1, 2) x ORDER BY spec COLLATE "C";

-- two spellings of one spec are equal; different specs are an error, unless each group has its own
SELECT podium_spec(podium_aggregate(34, CASE i % 2 WHEN 0 THEN 'minimax epsilon=1 range=1:120'
    ELSE 'minimax range=1:120.0  epsilon=1 cells=256' END)) FROM generate_series(1, 10) i;
SELECT podium_aggregate(34, CASE WHEN i < 10 THEN 'podium epsilon=1 range=1:120'
    ELSE 'podium epsilon=1 range=1:121' END) FROM generate_series(1, 10) i;
SELECT podium_estimate(1, 'podium epsilon=' || i || ' range=1:120') FROM generate_series(1, 2) i;
SELECT i % 2 AS question, (podium_estimate(i, 'podium epsilon=' || 1 + i % 2 || ' range=1:120')).n
FROM generate_series(1, 99) i GROUP BY 1 ORDER BY 1;

-- the spec of an aggregate must not be NULL, even though groups may have no reports
SELECT podium_aggregate(1, NULL::podium_spec);
SELECT podium_estimate(1, NULL::text);
SELECT podium_aggregate(NULL, 'podium epsilon=1 range=1:120') IS NULL AS none;

-- in parallel, and in windows
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ANALYZE reports;
EXPLAIN (COSTS off) SELECT podium_aggregate(report, 'podium epsilon=2 range=1:120') FROM reports;
CREATE TABLE answers AS SELECT podium_aggregate(report, 'podium epsilon=2 range=1:120') AS aggregate FROM reports;
RESET ALL;
INSERT INTO answers SELECT podium_aggregate(report, 1, 120, 2) FROM reports;
SELECT count(*), count(DISTINCT aggregate::text) FROM answers;
SELECT bool_and(a = b) AS same
FROM (SELECT podium_aggregate(report, spec) OVER w AS a, podium_aggregate(report, 1, 120, 2) OVER w AS b
      FROM reports WHERE mechanism = 'podium' WINDOW w AS (ORDER BY i ROWS 3 PRECEDING)) x;

-- each wrong key is one precise error that names it
SELECT podium_privatize(34, '');
SELECT podium_privatize(34, 'gauss epsilon=1 range=1:120');
SELECT podium_privatize(34, 'podium range=1:120');
SELECT podium_privatize(34, 'podium epsilon=1');
SELECT podium_privatize(34, 'podium epsilon=1 range=1:120 epsilon=1');
SELECT podium_privatize(34, 'podium epsilon=one range=1:120');
SELECT podium_privatize(34, 'podium epsilon=0 range=1:120');
SELECT podium_privatize(34, 'podium epsilon=1 range=120:1');
SELECT podium_privatize(34, 'podium epsilon=1 range=1');
SELECT podium_privatize(34, 'podium epsilon=1 range=1:1.000000000000001');
SELECT podium_privatize(34, 'podium epsilon=1 range=1:120 sigma=3');
SELECT podium_privatize(34, 'podium epsilon=1 range=1:120 cells=16');
SELECT podium_privatize(34, 'minimax epsilon=1 range=1:120 cells=1');
SELECT podium_privatize(34, 'podium-tuned epsilon=1 range=1:120');
SELECT podium_privatize(34, 'podium epsilon=1 range=1:120 ' || repeat('é', 40));
SELECT podium_privatize(34, spec) FROM (VALUES ('podium epsilon=1 range=1:120'), ('podium')) v (spec);
SELECT podium_privatize(34, 57);
DROP TABLE questions, specs, reports, answers;
