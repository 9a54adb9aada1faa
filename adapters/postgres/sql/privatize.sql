-- podium_privatize. Random results are compared with bounds that fail less than once in 10^8 runs.
\set VERBOSITY terse

-- numbers may have all types, the mechanism is optional, and arguments may be named
SELECT podium_privatize(34, 1, 120, 1.0) IS NOT NULL AS plain,
       podium_privatize(34.5::numeric, 1, 120, epsilon => 1) IS NOT NULL AS named,
       podium_privatize(34::real, 1, 120, 1, mechanism => 'minimax:64') IS NOT NULL AS mechanism;

-- the result is NULL if any argument is
SELECT podium_privatize(NULL, 1, 120, 1), podium_privatize(34, NULL, 120, 1), podium_privatize(34, 1, NULL, 1),
       podium_privatize(34, 1, 120, NULL), podium_privatize(34, 1, 120, 1, NULL);

-- the planner never uses one draw for many rows, and never draws twice for one row
SELECT count(DISTINCT podium_privatize(34, 1, 120, 1)) > 990 AS anew FROM generate_series(1, 1000);
SELECT count(*) FROM (SELECT podium_privatize(34, 1, 120, 1) AS report FROM generate_series(1, 1000)) r
WHERE report IS DISTINCT FROM report;
CREATE VIEW drawn AS SELECT podium_privatize(34, 1, 120, 1) AS report;
SELECT (SELECT report FROM drawn) <> (SELECT report FROM drawn) AS anew;
DROP VIEW drawn;
CREATE MATERIALIZED VIEW kept AS SELECT podium_privatize(34, 1, 120, 1) AS report;
SELECT report AS first FROM kept \gset
SELECT report = :first AS kept FROM kept;
REFRESH MATERIALIZED VIEW kept;
SELECT report <> :first AS anew FROM kept;
DROP MATERIALIZED VIEW kept;
SELECT provolatile, proisstrict, proparallel FROM pg_proc WHERE proname = 'podium_privatize';

-- for every mechanism, reports have the mean of the values; a value out of range counts as the end, NaN as the middle
CREATE TABLE mechanisms (mechanism text);
INSERT INTO mechanisms VALUES ('podium'), ('podium-approximate'), ('laplace'), ('staircase'), ('duchi'), ('piecewise'),
    ('hybrid'), ('podium-tuned:0.05'), ('minimax'), ('minimax:1024');
CREATE TABLE truths (what text, value float8, counts_as float8);
INSERT INTO truths VALUES ('inside', 34, 34), ('below', -1e300, 1), ('above', 'infinity', 120), ('no number', 'nan', 60.5);
SELECT mechanism, what, (e).n, (e).refused, abs((e).mean - counts_as) < 6 * (e).standard_error AS near
FROM (SELECT mechanism, what, counts_as,
             podium_estimate(podium_privatize(value, 1, 120, 2, mechanism), 1, 120, 2, mechanism) AS e
      FROM mechanisms, truths, generate_series(1, 1000) GROUP BY 1, 2, 3) x
ORDER BY mechanism COLLATE "C", what COLLATE "C";
DROP TABLE mechanisms, truths;

-- a mechanism is a text that is checked when it is read
CREATE TABLE questions (a text, b varchar(20), c podium_mechanism);
INSERT INTO questions VALUES ('minimax', 'duchi', 'podium-tuned:0.05'::text);
SELECT podium_privatize(34, 1, 120, 1, a) IS NOT NULL AS a, podium_privatize(34, 1, 120, 1, b) IS NOT NULL AS b,
       podium_privatize(34, 1, 120, 1, c) IS NOT NULL AS c, c FROM questions;
\copy questions TO 'results/questions.binary' (FORMAT binary)
\copy questions FROM 'results/questions.binary' (FORMAT binary)
SELECT DISTINCT c::text FROM questions;
INSERT INTO questions (c) VALUES ('minimax:many');
DROP TABLE questions;

-- each wrong argument is one precise error
SELECT podium_privatize(34, 1, 120, 0);
SELECT podium_privatize(34, 1, 120, -1);
SELECT podium_privatize(34, 1, 120, 'nan');
SELECT podium_privatize(34, 1, 120, 1e-9);
SELECT podium_privatize(34, 1, 120, 51);
SELECT podium_privatize(34, 120, 1, 1);
SELECT podium_privatize(34, 1, 'infinity', 1);
SELECT podium_privatize(34, 1, 1 + 1e-15, 1);
SELECT podium_privatize(34, 0, 1e200, 1);
SELECT podium_privatize(34, 1, 120, 1, 'gauss');
SELECT podium_privatize(34, 1, 120, 1, '');
SELECT podium_privatize(34, 1, 120, 1, 'Podium');
SELECT podium_privatize(34, 1, 120, 1, 'podium:3');
SELECT podium_privatize(34, 1, 120, 1, 'podium-tuned');
SELECT podium_privatize(34, 1, 120, 1, 'podium-tuned:0.3');
SELECT podium_privatize(34, 1, 120, 1, 'minimax:1');
SELECT podium_privatize(34, 1, 120, 1, 'minimax:2.5');
SELECT podium_privatize(34, 1, 120, 1, repeat('é', 40));
SELECT podium_privatize('thirty-four', 1, 120, 1);
SELECT podium_privatize(34, 1, 120);

-- more parameters in turn than the collections that a backend keeps
SELECT count(*), count(DISTINCT report) > 290 AS anew
FROM (SELECT podium_privatize(34, 1, 120 + i % 100, 1) AS report FROM generate_series(1, 300) i) r;
