\echo Use "CREATE EXTENSION podium" to load this file. \quit

CREATE FUNCTION podium_version() RETURNS text
    AS 'MODULE_PATHNAME', 'podium_sql_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_version() IS 'version of the Podium library in use';

-- ---- What is collected: a spec, or min, max, epsilon and a mechanism. Both types are texts that are checked when they
-- are read. They have no collation, because a collation would keep calls from being shipped to other servers. ----

CREATE TYPE podium_spec;

CREATE FUNCTION podium_spec_in(cstring) RETURNS podium_spec
    AS 'MODULE_PATHNAME', 'podium_sql_spec_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_spec_out(podium_spec) RETURNS cstring
    AS 'textout' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_spec_recv(internal) RETURNS podium_spec
    AS 'MODULE_PATHNAME', 'podium_sql_spec_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_spec_send(podium_spec) RETURNS bytea
    AS 'textsend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE podium_spec (
    INPUT = podium_spec_in,
    OUTPUT = podium_spec_out,
    RECEIVE = podium_spec_recv,
    SEND = podium_spec_send,
    STORAGE = extended
);
COMMENT ON TYPE podium_spec IS 'what is collected, such as minimax epsilon=1 range=1:120';
CREATE CAST (podium_spec AS text) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (text AS podium_spec) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS podium_spec) WITH INOUT AS IMPLICIT;

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
COMMENT ON TYPE podium_mechanism IS 'mechanism, with its parameter if any: podium, minimax:1024, podium-tuned:0.05';
CREATE CAST (podium_mechanism AS text) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (text AS podium_mechanism) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS podium_mechanism) WITH INOUT AS IMPLICIT;

-- ---- Privatize ----

-- VOLATILE, so that the planner calls it for every row.
CREATE FUNCTION podium_privatize(value float8, min float8, max float8, epsilon float8,
                                 mechanism podium_mechanism DEFAULT 'podium') RETURNS float8
    AS 'MODULE_PATHNAME', 'podium_sql_privatize' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION podium_privatize(float8, float8, float8, float8, podium_mechanism) IS
    'report of a private value, drawn anew at every call';
CREATE FUNCTION podium_privatize(value float8, spec podium_spec) RETURNS float8
    AS 'MODULE_PATHNAME', 'podium_sql_privatize' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION podium_privatize(float8, podium_spec) IS 'report of a private value, drawn anew at every call';

-- ---- Aggregates: they can be stored, shipped and merged ----

CREATE TYPE podium_aggregate;

CREATE FUNCTION podium_aggregate_in(cstring) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_out(podium_aggregate) RETURNS cstring
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_recv(internal) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_send(podium_aggregate) RETURNS bytea
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE podium_aggregate (
    INPUT = podium_aggregate_in,
    OUTPUT = podium_aggregate_out,
    RECEIVE = podium_aggregate_recv,
    SEND = podium_aggregate_send,
    STORAGE = extended
);
COMMENT ON TYPE podium_aggregate IS 'counts and exact sums of reports';

-- The bytes are those of the blob in SQLite. An aggregate is stored as these bytes, so one direction needs no function;
-- bytes that become an aggregate are checked.
CREATE FUNCTION podium_aggregate(bytea) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (podium_aggregate AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS podium_aggregate) WITH FUNCTION podium_aggregate(bytea);

CREATE FUNCTION podium_aggregate_eq(podium_aggregate, podium_aggregate) RETURNS bool
    AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_ne(podium_aggregate, podium_aggregate) RETURNS bool
    AS 'byteane' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_hash(podium_aggregate) RETURNS int
    AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR = (
    LEFTARG = podium_aggregate, RIGHTARG = podium_aggregate, FUNCTION = podium_aggregate_eq, COMMUTATOR = =,
    NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = podium_aggregate, RIGHTARG = podium_aggregate, FUNCTION = podium_aggregate_ne, COMMUTATOR = <>,
    NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR CLASS podium_aggregate_ops DEFAULT FOR TYPE podium_aggregate USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 podium_aggregate_hash(podium_aggregate);

CREATE FUNCTION podium_spec(aggregate podium_aggregate) RETURNS text
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_spec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_spec(podium_aggregate) IS 'the spec of the reports in the aggregate';

-- COST is roughly how many times as long as an addition a function takes, so that the planner knows when parallel
-- workers are worth it.

-- ---- Aggregate functions. They work on a real type, not on internal, so any engine that moves rows can move it. ----

CREATE FUNCTION podium_aggregate_add(podium_aggregate, report float8, spec podium_spec) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_add(podium_aggregate, report float8, min float8, max float8, epsilon float8)
    RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_add(podium_aggregate, report float8, min float8, max float8, epsilon float8,
                                     mechanism podium_mechanism) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_aggregate_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION podium_aggregate_merge(podium_aggregate, podium_aggregate) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
-- The same for users. It is not STRICT, because NULL stands for no reports, and merging a day with no reports must
-- return that day.
CREATE FUNCTION podium_merge(podium_aggregate, podium_aggregate) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_merge_two' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION podium_merge(podium_aggregate, podium_aggregate) IS
    'aggregate of the reports of both; NULL stands for no reports';
CREATE FUNCTION podium_aggregate_subtract(podium_aggregate, podium_aggregate) RETURNS podium_aggregate
    AS 'MODULE_PATHNAME', 'podium_sql_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE AGGREGATE podium_aggregate(report float8, spec podium_spec) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE
);
CREATE AGGREGATE podium_aggregate(report float8, min float8, max float8, epsilon float8) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE
);
CREATE AGGREGATE podium_aggregate(report float8, min float8, max float8, epsilon float8, mechanism podium_mechanism) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE
);
COMMENT ON AGGREGATE podium_aggregate(float8, podium_spec) IS 'aggregate of the reports';
COMMENT ON AGGREGATE podium_aggregate(float8, float8, float8, float8) IS 'aggregate of the reports';
COMMENT ON AGGREGATE podium_aggregate(float8, float8, float8, float8, podium_mechanism) IS 'aggregate of the reports';

-- An aggregate that leaves a window's frame is subtracted. Reports are not, because a frame without reports must have
-- the aggregate NULL, but PostgreSQL raises an error if an inverse transition returns NULL.
CREATE AGGREGATE podium_merge(podium_aggregate) (
    SFUNC = podium_aggregate_merge, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE,
    MSFUNC = podium_aggregate_merge, MINVFUNC = podium_aggregate_subtract, MSTYPE = podium_aggregate, MSSPACE = 8960
);
COMMENT ON AGGREGATE podium_merge(podium_aggregate) IS 'aggregate of the reports of all aggregates';

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
    confidence float8,
    "interval" text,
    about text
);
COMMENT ON TYPE podium_summary IS 'estimates of the values, from their reports';

CREATE FUNCTION podium_estimate(aggregate podium_aggregate) RETURNS podium_summary
    AS 'MODULE_PATHNAME', 'podium_sql_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- It is not called podium_estimate, because SQLite could not tell that from the aggregate of reports with a spec.
CREATE FUNCTION podium_estimate_at(aggregate podium_aggregate, confidence float8, "interval" text DEFAULT 'normal',
                                   population boolean DEFAULT false) RETURNS podium_summary
    AS 'MODULE_PATHNAME', 'podium_sql_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_estimate(podium_aggregate) IS 'mean, 95% interval and spread of the values';
COMMENT ON FUNCTION podium_estimate_at(podium_aggregate, float8, text, boolean) IS 'mean, interval and spread of the values';

CREATE AGGREGATE podium_estimate(report float8, spec podium_spec) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE,
    FINALFUNC = podium_estimate
);
CREATE AGGREGATE podium_estimate(report float8, min float8, max float8, epsilon float8) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE,
    FINALFUNC = podium_estimate
);
CREATE AGGREGATE podium_estimate(report float8, min float8, max float8, epsilon float8, mechanism podium_mechanism) (
    SFUNC = podium_aggregate_add, STYPE = podium_aggregate, SSPACE = 8960,
    COMBINEFUNC = podium_aggregate_merge, PARALLEL = SAFE,
    FINALFUNC = podium_estimate
);
COMMENT ON AGGREGATE podium_estimate(float8, podium_spec) IS 'mean, 95% interval and spread of the values';
COMMENT ON AGGREGATE podium_estimate(float8, float8, float8, float8) IS 'mean, 95% interval and spread of the values';
COMMENT ON AGGREGATE podium_estimate(float8, float8, float8, float8, podium_mechanism) IS
    'mean, 95% interval and spread of the values';

-- Two groups beside each other. The groups must be different people, or have reports that were drawn anew.
CREATE TYPE podium_comparison AS (
    difference float8,
    standard_error float8,
    lower float8,
    upper float8,
    p_value float8,
    confidence float8,
    "interval" text,
    about text
);
COMMENT ON TYPE podium_comparison IS 'the difference between the means of two groups';

CREATE FUNCTION podium_difference(a podium_aggregate, b podium_aggregate) RETURNS podium_comparison
    AS 'MODULE_PATHNAME', 'podium_sql_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION podium_difference_at(a podium_aggregate, b podium_aggregate, confidence float8,
                                     "interval" text DEFAULT 'normal', population boolean DEFAULT false)
    RETURNS podium_comparison
    AS 'MODULE_PATHNAME', 'podium_sql_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION podium_difference(podium_aggregate, podium_aggregate) IS
    'the mean of a minus the mean of b, with a 95% interval and a p-value';
COMMENT ON FUNCTION podium_difference_at(podium_aggregate, podium_aggregate, float8, text, boolean) IS
    'the mean of a minus the mean of b, with an interval and a p-value';

-- The distribution of the values, which takes up to some tenths of a second
CREATE FUNCTION podium_quantiles(aggregate podium_aggregate, probabilities float8[])
    RETURNS TABLE (p float8, value float8, lower float8, upper float8)
    AS 'MODULE_PATHNAME', 'podium_sql_quantiles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION podium_quantiles(podium_aggregate, float8[]) IS
    'values below which given shares of the values lie, with 95% limits';

CREATE FUNCTION podium_histogram(aggregate podium_aggregate, bins int)
    RETURNS TABLE (bin int, start float8, stop float8, share float8, lower float8, upper float8)
    AS 'MODULE_PATHNAME', 'podium_sql_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION podium_histogram(podium_aggregate, int) IS
    'shares of the values in equal parts of the range, with 95% limits';
