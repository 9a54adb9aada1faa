-- the extension: installed by somebody without privileges, moved, updated with what it has made kept
\set VERBOSITY terse
DROP EXTENSION podium;
SELECT current_database() AS database \gset
CREATE ROLE regress_podium_user;
GRANT CREATE ON DATABASE :"database" TO regress_podium_user;
SET ROLE regress_podium_user;
CREATE SCHEMA regress_podium;
SET search_path = regress_podium;
CREATE EXTENSION podium VERSION '0.1';
SELECT podium_privatize(34, 1, 120, 1) IS NOT NULL AS works;

CREATE TABLE states AS SELECT podium_aggregate(x, 1, 120, 1) AS state, podium_aggregate(x, 1, 120, 1)::text AS text
    FROM generate_series(1, 120) x;
CREATE VIEW estimates AS SELECT (podium_estimate(state)).* FROM states;
SELECT podium_quantiles(state, '{0.5}') FROM states;
SELECT n, mean FROM estimates;
ALTER EXTENSION podium UPDATE;
SELECT extversion FROM pg_extension WHERE extname = 'podium';
SELECT state::text = text AS kept FROM states;
SELECT n, mean FROM estimates;
SELECT value > 1 AS works FROM states, podium_quantiles(state, '{0.5}');

-- an update leads to what an installation leads to
CREATE TABLE updated AS SELECT pg_describe_object(classid, objid, objsubid) AS object
    FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
     AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'podium');
DROP VIEW estimates;
DROP TABLE states;
DROP EXTENSION podium;
CREATE EXTENSION podium;
SELECT count(*) = (SELECT count(*) FROM updated) AS as_many, bool_and(object IN (TABLE updated)) AS the_same
FROM (SELECT pg_describe_object(classid, objid, objsubid) AS object
    FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
     AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'podium')) x;

-- it can be moved
RESET ROLE;
RESET search_path;
ALTER EXTENSION podium SET SCHEMA public;
SELECT (podium_estimate(x, 1, 120, 1)).n FROM generate_series(1, 120) x;
DROP EXTENSION podium;
DROP SCHEMA regress_podium CASCADE;
REVOKE ALL ON DATABASE :"database" FROM regress_podium_user;
DROP ROLE regress_podium_user;
