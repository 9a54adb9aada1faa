-- the extension in a schema of its own, which is not in the search path: qualified calls do everything, and nobody can
-- capture them
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
       podium.podium_privatize(34, 1, 120, 1, 'minimax:64') IS NOT NULL AS literal,
       podium.podium_privatize(34, 1, 120, 1, 'minimax'::text) IS NOT NULL AS text,
       podium.podium_privatize(34, 1, 120, 1, 'minimax'::varchar(20)) IS NOT NULL AS varchar,
       'minimax:64'::podium.podium_mechanism AS mechanism;
CREATE TABLE states (city text, state podium.podium_state, mechanism podium.podium_mechanism);
INSERT INTO states SELECT x % 2, podium.podium_aggregate(x, 1, 120, 1), 'podium'
    FROM generate_series(1, 120) x GROUP BY 1;
SELECT (podium.podium_estimate(x, 1, 120, 1)).mean FROM generate_series(1, 120) x;
SELECT (podium.podium_estimate(x, 1, 120, 1, mechanism::text)).n FROM generate_series(1, 120) x, states GROUP BY city;
SELECT (podium.podium_estimate(podium.podium_merge(state))).n,
       (podium.podium_estimate(podium.podium_merge(state), confidence => 0.9)).confidence FROM states;
SELECT (podium.podium_estimate(podium.podium_merge(state) OVER (ORDER BY city ROWS 0 PRECEDING))).n FROM states;
SELECT count(*) FROM states, podium.podium_quantiles(podium.podium_merge(state, NULL), '{0.25, 0.75}');
SELECT count(*) FROM states, podium.podium_histogram(state, 3);
SELECT count(*) FROM (SELECT state FROM states UNION SELECT state::bytea::podium.podium_state FROM states
    UNION SELECT state::text::podium.podium_state FROM states) u;
SELECT count(*) FILTER (WHERE a.state OPERATOR(podium.=) b.state) AS same,
       count(*) FILTER (WHERE a.state OPERATOR(podium.<>) b.state) AS other FROM states a, states b;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) FROM states a JOIN states b ON a.state OPERATOR(podium.=) b.state;
RESET enable_nestloop;
RESET enable_mergejoin;

-- a role that may create functions in the path: integer arguments fit its function better than float8 does
SET ROLE regress_podium_attacker;
CREATE TABLE captured (value int);
GRANT INSERT ON captured TO PUBLIC;
CREATE FUNCTION podium_privatize(value int, min int, max int, epsilon int) RETURNS float8 LANGUAGE sql
    AS 'INSERT INTO regress_podium.captured VALUES (value); SELECT 0.0::float8';
RESET ROLE;
SET search_path = podium, regress_podium;
SELECT podium_privatize(31, 1, 120, 1);
SELECT podium_privatize(32::float8, 1, 120, 1) IS NOT NULL AS report;
SELECT podium.podium_privatize(33, 1, 120, 1) IS NOT NULL AS report;
SET search_path = regress_podium;
SELECT podium_privatize(34, 1, 120, 1);
SELECT podium.podium_privatize(35, 1, 120, 1) IS NOT NULL AS report;
SELECT value FROM captured ORDER BY value;

RESET search_path;
DROP SCHEMA regress_podium CASCADE;
DROP EXTENSION podium;
DROP SCHEMA podium;
DROP ROLE regress_podium_attacker;
