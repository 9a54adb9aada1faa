-- the extension can be installed without privileges, and moved without losing aggregates
\set VERBOSITY terse
DROP EXTENSION podium;
SELECT current_database() AS database \gset
CREATE ROLE regress_podium_user;
GRANT CREATE ON DATABASE :"database" TO regress_podium_user;
SET ROLE regress_podium_user;
CREATE SCHEMA regress_podium;
SET search_path = regress_podium;
CREATE EXTENSION podium;
SELECT podium_privatize(34, 1, 120, 1) IS NOT NULL AS works;

-- it has the version of the library
SELECT extversion = podium_version() AS same, extversion ~ '^[0-9]+\.[0-9]+\.[0-9]+$' AS version
FROM pg_extension WHERE extname = 'podium';

CREATE TABLE aggregates AS SELECT podium_aggregate(x, 1, 120, 1) AS aggregate, podium_aggregate(x, 1, 120, 1)::text AS text
    FROM generate_series(1, 120) x;
CREATE VIEW estimates AS SELECT (podium_estimate(aggregate)).* FROM aggregates;
SELECT n, mean FROM estimates;

-- it can be moved
RESET ROLE;
ALTER EXTENSION podium SET SCHEMA public;
SELECT aggregate::text = text AS kept FROM aggregates;
SELECT n, mean FROM estimates;
RESET search_path;
SELECT (podium_estimate(x, 1, 120, 1)).n FROM generate_series(1, 120) x;
DROP VIEW regress_podium.estimates;
DROP TABLE regress_podium.aggregates;
DROP EXTENSION podium;
DROP SCHEMA regress_podium;
REVOKE ALL ON DATABASE :"database" FROM regress_podium_user;
DROP ROLE regress_podium_user;
