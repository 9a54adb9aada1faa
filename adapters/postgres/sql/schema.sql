-- if the extension is in a schema of its own that is not in the search path, qualified calls do everything, and no other
-- role can capture them
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA podium;
CREATE EXTENSION podium SCHEMA podium;
CREATE SCHEMA regress_podium;
CREATE ROLE regress_podium_attacker;
GRANT CREATE, USAGE ON SCHEMA regress_podium TO regress_podium_attacker;
SET search_path = regress_podium;

-- every function, aggregate, cast and operator
SELECT podium.podium_version() IS NOT NULL AS version;
SELECT podium.podium_privatize(34, 1, 120, 1) IS NOT NULL AS plain,
       podium.podium_privatize(34.5::numeric, 1, 120, epsilon => 1) IS NOT NULL AS named,
       podium.podium_privatize(34, 'podium epsilon=1 range=1:120') IS NOT NULL AS spec,
       podium.podium_privatize(34, 1, 120, 1, 'minimax:64') IS NOT NULL AS literal,
       podium.podium_privatize(34, 1, 120, 1, 'minimax'::text) IS NOT NULL AS text,
       podium.podium_privatize(34, 1, 120, 1, 'minimax'::varchar(20)) IS NOT NULL AS varchar,
       'minimax:64'::podium.podium_mechanism AS mechanism;
CREATE TABLE aggregates (city text, aggregate podium.podium_aggregate, mechanism podium.podium_mechanism);
INSERT INTO aggregates SELECT x % 2, podium.podium_aggregate(x, 1, 120, 1), 'podium'
    FROM generate_series(1, 120) x GROUP BY 1;
SELECT (podium.podium_estimate(x, 1, 120, 1)).mean FROM generate_series(1, 120) x;
SELECT (podium.podium_estimate(x, 1, 120, 1, mechanism::text)).n FROM generate_series(1, 120) x, aggregates GROUP BY city;
SELECT (podium.podium_estimate(x, 'podium epsilon=1 range=1:120')).n,
       podium.podium_spec(podium.podium_aggregate(x, 'podium epsilon=1 range=1:120'::text)) FROM generate_series(1, 120) x;
SELECT (podium.podium_estimate(podium.podium_merge(aggregate))).n,
       (podium.podium_estimate_at(podium.podium_merge(aggregate), confidence => 0.9)).confidence FROM aggregates;
SELECT (podium.podium_estimate(podium.podium_merge(aggregate) OVER (ORDER BY city ROWS 0 PRECEDING))).n FROM aggregates;
SELECT count(*) FROM aggregates, podium.podium_quantiles(podium.podium_merge(aggregate, NULL), '{0.25, 0.75}');
SELECT count(*) FROM aggregates, podium.podium_histogram(aggregate, 3);
SELECT count(*) FROM (SELECT aggregate FROM aggregates UNION SELECT aggregate::bytea::podium.podium_aggregate FROM aggregates
    UNION SELECT aggregate::text::podium.podium_aggregate FROM aggregates) u;
SELECT count(*) FILTER (WHERE a.aggregate OPERATOR(podium.=) b.aggregate) AS same,
       count(*) FILTER (WHERE a.aggregate OPERATOR(podium.<>) b.aggregate) AS other FROM aggregates a, aggregates b;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) FROM aggregates a JOIN aggregates b ON a.aggregate OPERATOR(podium.=) b.aggregate;
RESET enable_nestloop;
RESET enable_mergejoin;

-- a role that may create functions in the path makes one that fits integer arguments better than float8 does
SET ROLE regress_podium_attacker;
CREATE TABLE captured (value int);
GRANT INSERT ON captured TO PUBLIC;
CREATE FUNCTION podium_privatize(value int, min int, max int, epsilon int) RETURNS float8 LANGUAGE sql
    AS 'INSERT INTO regress_podium.captured VALUES (value); SELECT 0.0::float8';
CREATE FUNCTION podium_privatize(value int, spec text) RETURNS float8 LANGUAGE sql
    AS 'INSERT INTO regress_podium.captured VALUES (value); SELECT 0.0::float8';
RESET ROLE;
SET search_path = podium, regress_podium;
SELECT podium_privatize(31, 1, 120, 1);
SELECT podium_privatize(32::float8, 1, 120, 1) IS NOT NULL AS report;
SELECT podium.podium_privatize(33, 1, 120, 1) IS NOT NULL AS report;
SELECT podium_privatize(41, 'podium epsilon=1 range=1:120');
SELECT podium.podium_privatize(43, 'podium epsilon=1 range=1:120') <> 0 AS report;
SET search_path = regress_podium;
SELECT podium_privatize(34, 1, 120, 1);
SELECT podium.podium_privatize(35, 1, 120, 1) IS NOT NULL AS report;
SELECT value FROM captured ORDER BY value;

RESET search_path;
DROP SCHEMA regress_podium CASCADE;
DROP EXTENSION podium;
DROP SCHEMA podium;
DROP ROLE regress_podium_attacker;
