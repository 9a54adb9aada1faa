\echo Use "CREATE EXTENSION podium" to load this file. \quit

CREATE FUNCTION podium_version() RETURNS text
    AS 'MODULE_PATHNAME', 'podium_sql_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_version() IS 'version of the Podium library in use';

-- ---- Which mechanism: a text, checked when it is read, and without a collation, which would keep calls from being
-- shipped to other servers ----

CREATE TYPE podium_mechanism;

CREATE FUNCTION podium_mechanism_in(cstring) RETURNS podium_mechanism
    AS 'MODULE_PATHNAME', 'podium_sql_mechanism_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_mechanism_out(podium_mechanism) RETURNS cstring
    AS 'textout' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_mechanism_recv(internal) RETURNS podium_mechanism
    AS 'MODULE_PATHNAME', 'podium_sql_mechanism_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_mechanism_send(podium_mechanism) RETURNS bytea
    AS 'textsend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE podium_mechanism (
    INPUT = podium_mechanism_in,
    OUTPUT = podium_mechanism_out,
    RECEIVE = podium_mechanism_recv,
    SEND = podium_mechanism_send,
    STORAGE = extended
);
COMMENT ON TYPE podium_mechanism IS 'name of a mechanism, with its parameter: podium, minimax:1024, podium-tuned:0.05';
CREATE CAST (podium_mechanism AS text) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (text AS podium_mechanism) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS podium_mechanism) WITH INOUT AS IMPLICIT;

-- ---- Privatize ----

-- VOLATILE: the planner must draw anew for every row.
CREATE FUNCTION podium_privatize(value float8, min float8, max float8, epsilon float8,
                                 mechanism podium_mechanism DEFAULT 'podium') RETURNS float8
    AS 'MODULE_PATHNAME', 'podium_sql_privatize' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION podium_privatize(float8, float8, float8, float8, podium_mechanism) IS
    'report of a private value, drawn anew at every call';

-- ---- The state of an aggregate: stored, shipped, merged ----

CREATE TYPE podium_state;

CREATE FUNCTION podium_state_in(cstring) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_state_out(podium_state) RETURNS cstring
    AS 'MODULE_PATHNAME', 'podium_sql_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_state_recv(internal) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_state_send(podium_state) RETURNS bytea
    AS 'MODULE_PATHNAME', 'podium_sql_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE podium_state (
    INPUT = podium_state_in,
    OUTPUT = podium_state_out,
    RECEIVE = podium_state_recv,
    SEND = podium_state_send,
    STORAGE = extended
);
COMMENT ON TYPE podium_state IS 'what reports add up to: counts and exact sums';

-- The bytes, as SQLite has them in a blob. From a state they are there as they stand; to a state they are checked.
CREATE FUNCTION podium_state(bytea) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_state_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (podium_state AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS podium_state) WITH FUNCTION podium_state(bytea);

CREATE FUNCTION podium_state_eq(podium_state, podium_state) RETURNS bool
    AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION podium_state_ne(podium_state, podium_state) RETURNS bool
    AS 'byteane' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION podium_state_hash(podium_state) RETURNS int
    AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR = (
    LEFTARG = podium_state, RIGHTARG = podium_state, FUNCTION = podium_state_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = podium_state, RIGHTARG = podium_state, FUNCTION = podium_state_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR CLASS podium_state_ops DEFAULT FOR TYPE podium_state USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 podium_state_hash(podium_state);

-- A COST is about how many times as long as an addition a function takes: the planner then knows when workers pay.

-- ---- Aggregates. Their state is a real type, not internal: any engine that moves rows can move it. ----

CREATE FUNCTION podium_state_add(podium_state, report float8, min float8, max float8, epsilon float8)
    RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION podium_state_add(podium_state, report float8, min float8, max float8, epsilon float8,
                                 mechanism podium_mechanism) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION podium_state_merge(podium_state, podium_state) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
-- The same for users. Not STRICT: the state of no reports is NULL, and adding nothing to a day must not lose the day.
CREATE FUNCTION podium_merge(podium_state, podium_state) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_merge_two' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION podium_merge(podium_state, podium_state) IS
    'one state of the reports of two; NULL is that of no reports';
CREATE FUNCTION podium_state_unmerge(podium_state, podium_state) RETURNS podium_state
    AS 'MODULE_PATHNAME', 'podium_sql_unmerge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE AGGREGATE podium_aggregate(report float8, min float8, max float8, epsilon float8) (
    SFUNC = podium_state_add, STYPE = podium_state, SSPACE = 8448, COMBINEFUNC = podium_state_merge, PARALLEL = SAFE
);
CREATE AGGREGATE podium_aggregate(report float8, min float8, max float8, epsilon float8, mechanism podium_mechanism) (
    SFUNC = podium_state_add, STYPE = podium_state, SSPACE = 8448, COMBINEFUNC = podium_state_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE podium_aggregate(float8, float8, float8, float8) IS 'state of the reports';
COMMENT ON AGGREGATE podium_aggregate(float8, float8, float8, float8, podium_mechanism) IS 'state of the reports';

-- A state that leaves a window's frame is subtracted. (Reports are not: of a frame whose rows have none there must be no
-- state, but PostgreSQL takes none for an error there.)
CREATE AGGREGATE podium_merge(podium_state) (
    SFUNC = podium_state_merge, STYPE = podium_state, SSPACE = 8448, COMBINEFUNC = podium_state_merge, PARALLEL = SAFE,
    MSFUNC = podium_state_merge, MINVFUNC = podium_state_unmerge, MSTYPE = podium_state, MSSPACE = 8448
);
COMMENT ON AGGREGATE podium_merge(podium_state) IS 'one state of the reports of all';

-- ---- What the reports say about the values ----

CREATE TYPE podium_summary AS (
    n bigint,
    refused bigint,
    mean float8,
    standard_error float8,
    lower float8,
    upper float8,
    variance float8,
    standard_deviation float8,
    confidence float8
);
COMMENT ON TYPE podium_summary IS 'estimates of the values, from their reports';

CREATE FUNCTION podium_estimate(state podium_state) RETURNS podium_summary
    AS 'MODULE_PATHNAME', 'podium_sql_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_estimate(state podium_state, confidence float8) RETURNS podium_summary
    AS 'MODULE_PATHNAME', 'podium_sql_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_estimate(podium_state) IS 'mean, 95% interval and spread of the values';
COMMENT ON FUNCTION podium_estimate(podium_state, float8) IS 'mean, interval and spread of the values';

CREATE AGGREGATE podium_estimate(report float8, min float8, max float8, epsilon float8) (
    SFUNC = podium_state_add, STYPE = podium_state, SSPACE = 8448, COMBINEFUNC = podium_state_merge, PARALLEL = SAFE,
    FINALFUNC = podium_estimate
);
CREATE AGGREGATE podium_estimate(report float8, min float8, max float8, epsilon float8, mechanism podium_mechanism) (
    SFUNC = podium_state_add, STYPE = podium_state, SSPACE = 8448, COMBINEFUNC = podium_state_merge, PARALLEL = SAFE,
    FINALFUNC = podium_estimate
);
COMMENT ON AGGREGATE podium_estimate(float8, float8, float8, float8) IS 'mean, 95% interval and spread of the values';
COMMENT ON AGGREGATE podium_estimate(float8, float8, float8, float8, podium_mechanism) IS
    'mean, 95% interval and spread of the values';

-- The shape of the values: it takes up to some tenths of a second.
CREATE FUNCTION podium_quantiles(state podium_state, probabilities float8[])
    RETURNS TABLE (p float8, value float8)
    AS 'MODULE_PATHNAME', 'podium_sql_quantiles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION podium_quantiles(podium_state, float8[]) IS 'values below which given shares of the values lie';

CREATE FUNCTION podium_histogram(state podium_state, bins int)
    RETURNS TABLE (bin int, lower float8, upper float8, share float8)
    AS 'MODULE_PATHNAME', 'podium_sql_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION podium_histogram(podium_state, int) IS 'shares of the values in equal parts of the range';
