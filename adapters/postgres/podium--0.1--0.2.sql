\echo Use "ALTER EXTENSION podium UPDATE" to load this file. \quit

-- The shape of the values: it takes up to some tenths of a second.
CREATE FUNCTION podium_quantiles(state podium_state, probabilities float8[])
    RETURNS TABLE (p float8, value float8)
    AS 'MODULE_PATHNAME', 'podium_sql_quantiles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION podium_quantiles(podium_state, float8[]) IS 'values below which given shares of the values lie';

CREATE FUNCTION podium_histogram(state podium_state, bins int)
    RETURNS TABLE (bin int, lower float8, upper float8, share float8)
    AS 'MODULE_PATHNAME', 'podium_sql_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION podium_histogram(podium_state, int) IS 'shares of the values in equal parts of the range';
