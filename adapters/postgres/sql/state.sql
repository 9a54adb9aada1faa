-- podium_state: text, bytes, casts, equality
\set VERBOSITY terse
CREATE TABLE states (name text, state podium_state);
INSERT INTO states
    SELECT 'podium', podium_aggregate(x, 1, 120, 1) FROM generate_series(1, 120) x
    UNION ALL SELECT 'many', podium_aggregate(x, 1, 120, 1) FROM generate_series(-100, 200, 0.01) x
    UNION ALL SELECT 'refused', podium_aggregate(x, 1, 120, 1) FROM generate_series(-1e9, 1e9, 1e9) x
    UNION ALL SELECT 'minimax', podium_aggregate(podium_privatize(x, 0, 1, 1, 'minimax'), 0, 1, 1, 'minimax')
              FROM generate_series(0, 1, 0.001) x
    UNION ALL SELECT 'tuned', podium_aggregate(x, 0, 1, 1, 'podium-tuned:0.1') FROM generate_series(0, 1, 0.1) x
    UNION ALL SELECT 'duchi', podium_aggregate(podium_privatize(x, 0, 1, 1, 'duchi'), 0, 1, 1, 'duchi')
              FROM generate_series(0, 1, 0.1) x;
SELECT name, (e).n, (e).refused FROM (SELECT name, podium_estimate(state) AS e FROM states) x ORDER BY name;

-- text, bytes and back, with nothing lost
SELECT bool_and(state::text::podium_state = state) AS text, bool_and(state::bytea::podium_state = state) AS bytes,
       bool_and(state::text = 'podium-aggregate:' || encode(state::bytea, 'hex')) AS hexadecimal,
       bool_and(state::bytea = podium_state_send(state)) AS sent
FROM states;
SELECT substr(state::text, 1, 31) AS head, length(state::text) > 2000 AS long FROM states WHERE name = 'podium';
SELECT (E' \n' || state::text || E'\n')::podium_state = state AS spaces_around FROM states WHERE name = 'podium';

-- by COPY, in both formats
CREATE TABLE copied (LIKE states);
\copy states TO 'results/state.text'
\copy copied FROM 'results/state.text'
\copy states TO 'results/state.binary' (FORMAT binary)
\copy copied FROM 'results/state.binary' (FORMAT binary)
SELECT count(*) FROM copied JOIN states USING (name, state);

-- equality and hashing, so that DISTINCT, GROUP BY and joins work
SELECT count(*), count(DISTINCT state::text) FROM (SELECT DISTINCT state FROM (TABLE states UNION ALL TABLE copied) x) y;
SELECT a.name, b.name FROM states a JOIN states b ON a.state = b.state AND a.name <> b.name;
SELECT count(*) FROM states a, states b WHERE a.state <> b.state;
SELECT state IS DISTINCT FROM NULL FROM states WHERE name = 'podium';

-- in arrays, rows, and PL/pgSQL variables
SELECT (array_agg(state ORDER BY name))[1] = (SELECT state FROM states WHERE name = 'duchi') FROM states;
DO $$
DECLARE
    a podium_state;
    b podium_state;
BEGIN
    SELECT podium_aggregate(x, 1, 120, 1) INTO a FROM generate_series(1, 120) x;
    b := a;
    b := podium_merge(b, a);
    ASSERT a = (SELECT state FROM states WHERE name = 'podium'), 'a state that was copied changed';
    ASSERT (podium_estimate(b)).n = 240, 'n';
END $$;

-- what cannot be a state is refused
SELECT ''::podium_state;
SELECT '12'::podium_state;
SELECT 'podium-aggregate:'::podium_state;
SELECT 'podium-aggregate:00'::podium_state;
SELECT 'podium-aggregate:xyz'::podium_state;
SELECT '\x'::bytea::podium_state;
SELECT '\x504f4441'::bytea::podium_state;
SELECT (state::text || '00')::podium_state FROM states WHERE name = 'podium';
SELECT left(state::text, -2)::podium_state FROM states WHERE name = 'podium';
SELECT set_byte(state::bytea, 4, 9)::podium_state FROM states WHERE name = 'podium';
SELECT set_byte(state::bytea, 40, get_byte(state::bytea, 40) # 1)::podium_state FROM states WHERE name = 'podium';
SELECT set_byte(state::bytea, 47, get_byte(state::bytea, 47) # 1)::podium_state FROM states WHERE name = 'podium';
DROP TABLE states, copied;
