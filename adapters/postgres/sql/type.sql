-- podium_aggregate: text, bytes, casts, equality
\set VERBOSITY terse
CREATE TABLE aggregates (name text, aggregate podium_aggregate);
INSERT INTO aggregates
    SELECT 'podium', podium_aggregate(x, 1, 120, 1) FROM generate_series(1, 120) x
    UNION ALL SELECT 'many', podium_aggregate(x, 1, 120, 1) FROM generate_series(-100, 200, 0.01) x
    UNION ALL SELECT 'refused', podium_aggregate(x, 1, 120, 1) FROM generate_series(-1e9, 1e9, 1e9) x
    UNION ALL SELECT 'minimax', podium_aggregate(podium_privatize(x, 0, 1, 1, 'minimax'), 0, 1, 1, 'minimax')
              FROM generate_series(0, 1, 0.001) x
    UNION ALL SELECT 'tuned', podium_aggregate(x, 0, 1, 1, 'podium-tuned:0.1') FROM generate_series(0, 1, 0.1) x
    UNION ALL SELECT 'duchi', podium_aggregate(podium_privatize(x, 0, 1, 1, 'duchi'), 0, 1, 1, 'duchi')
              FROM generate_series(0, 1, 0.1) x;
SELECT name, (e).n, (e).refused FROM (SELECT name, podium_estimate(aggregate) AS e FROM aggregates) x ORDER BY name;

-- to text, to bytes and back, without a loss
SELECT bool_and(aggregate::text::podium_aggregate = aggregate) AS text, bool_and(aggregate::bytea::podium_aggregate = aggregate) AS bytes,
       bool_and(aggregate::text = 'podium-aggregate:' || encode(aggregate::bytea, 'hex')) AS hexadecimal,
       bool_and(aggregate::bytea = podium_aggregate_send(aggregate)) AS sent
FROM aggregates;
SELECT substr(aggregate::text, 1, 31) AS head, length(aggregate::text) > 2000 AS long FROM aggregates WHERE name = 'podium';
SELECT (E' \n' || aggregate::text || E'\n')::podium_aggregate = aggregate AS spaces_around FROM aggregates WHERE name = 'podium';

-- by COPY in both formats
CREATE TABLE copied (LIKE aggregates);
\copy aggregates TO 'results/aggregate.text'
\copy copied FROM 'results/aggregate.text'
\copy aggregates TO 'results/aggregate.binary' (FORMAT binary)
\copy copied FROM 'results/aggregate.binary' (FORMAT binary)
SELECT count(*) FROM copied JOIN aggregates USING (name, aggregate);

-- equality and hashing, so that DISTINCT, GROUP BY and joins work
SELECT count(*), count(DISTINCT aggregate::text) FROM (SELECT DISTINCT aggregate FROM (TABLE aggregates UNION ALL TABLE copied) x) y;
SELECT a.name, b.name FROM aggregates a JOIN aggregates b ON a.aggregate = b.aggregate AND a.name <> b.name;
SELECT count(*) FROM aggregates a, aggregates b WHERE a.aggregate <> b.aggregate;
SELECT aggregate IS DISTINCT FROM NULL FROM aggregates WHERE name = 'podium';

-- in arrays, rows, and PL/pgSQL variables
SELECT (array_agg(aggregate ORDER BY name))[1] = (SELECT aggregate FROM aggregates WHERE name = 'duchi') FROM aggregates;
DO $$
DECLARE
    a podium_aggregate;
    b podium_aggregate;
BEGIN
    SELECT podium_aggregate(x, 1, 120, 1) INTO a FROM generate_series(1, 120) x;
    b := a;
    b := podium_merge(b, a);
    ASSERT a = (SELECT aggregate FROM aggregates WHERE name = 'podium'), 'an aggregate that was copied changed';
    ASSERT (podium_estimate(b)).n = 240, 'n';
END $$;

-- what cannot be an aggregate is rejected
SELECT ''::podium_aggregate;
SELECT '12'::podium_aggregate;
SELECT 'podium-aggregate:'::podium_aggregate;
SELECT 'podium-aggregate:00'::podium_aggregate;
SELECT 'podium-aggregate:xyz'::podium_aggregate;
SELECT '\x'::bytea::podium_aggregate;
SELECT '\x504f4441'::bytea::podium_aggregate;
SELECT (aggregate::text || '00')::podium_aggregate FROM aggregates WHERE name = 'podium';
SELECT left(aggregate::text, -2)::podium_aggregate FROM aggregates WHERE name = 'podium';
SELECT set_byte(aggregate::bytea, 4, 9)::podium_aggregate FROM aggregates WHERE name = 'podium';
SELECT set_byte(aggregate::bytea, 40, get_byte(aggregate::bytea, 40) # 1)::podium_aggregate FROM aggregates WHERE name = 'podium';
SELECT set_byte(aggregate::bytea, 47, get_byte(aggregate::bytea, 47) # 1)::podium_aggregate FROM aggregates WHERE name = 'podium';
DROP TABLE aggregates, copied;
