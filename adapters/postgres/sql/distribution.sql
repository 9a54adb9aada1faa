-- podium_quantiles and podium_histogram
\set VERBOSITY terse
CREATE TABLE aggregates AS SELECT podium_aggregate(report, 0, 100, 8) AS aggregate
FROM (SELECT podium_privatize(10 * sqrt(i % 100), 0, 100, 8) AS report FROM generate_series(1, 50000) i) x;

-- the values are 10 sqrt(u): a share p of them lies below 100 sqrt(p)
SELECT p, abs(value - 100 * sqrt(p)) < 3 AS near FROM aggregates, podium_quantiles(aggregate, ARRAY[0.25, 0.5, 0.75]);
SELECT p, value BETWEEN 0 AND 100 AS inside FROM aggregates, podium_quantiles(aggregate, '{1, 0}');
SELECT count(*) FROM aggregates, podium_quantiles(aggregate, '{}');
SELECT bin, start, stop, abs(share - (stop ^ 2 - start ^ 2) / 1e4) < 0.03 AS near
FROM aggregates, podium_histogram(aggregate, 5);
SELECT bins, count(*), round(sum(share)::numeric, 9) AS shares, min(start), max(stop), min(share) >= 0 AS positive
FROM aggregates, (VALUES (1), (3), (20), (128), (512)) v (bins), podium_histogram(aggregate, bins) GROUP BY bins ORDER BY bins;

-- every estimate lies between its limits, which are not far away with so many reports
SELECT p, lower <= value AND value <= upper AND upper - lower BETWEEN 0.1 AND 20 AS limited
FROM aggregates, podium_quantiles(aggregate, ARRAY[0.25, 0.5, 0.75]);
SELECT bin, 0 <= lower AND lower <= share AND share <= upper AND upper - lower BETWEEN 0.001 AND 0.3 AS limited
FROM aggregates, podium_histogram(aggregate, 5);

-- shares and quantiles agree, because they have the same resolution
SELECT abs(value - 50) < 1e-6 AS agree
FROM aggregates, podium_histogram(aggregate, 2), podium_quantiles(aggregate, ARRAY[share]) WHERE bin = 1;

-- as columns of a query with groups
SELECT g, (podium_quantiles(aggregate, ARRAY[0.5])).p FROM aggregates, generate_series(1, 2) g ORDER BY g;

-- with too few reports there is a notice and no answer; with two outputs there is no answer for any number of reports
SELECT * FROM podium_quantiles((SELECT podium_aggregate(34, 1, 120, 1)), '{0.5}');
SELECT * FROM podium_histogram((SELECT podium_aggregate(34, 1, 121, 1)), 2);
SELECT p, value FROM podium_quantiles((SELECT podium_aggregate(podium_privatize(x, 1, 120, 1, 'duchi'), 1, 120, 1, 'duchi')
                                       FROM generate_series(1, 120) x), '{0.5}');
SELECT p, round(value::numeric, 6) AS value
FROM podium_quantiles((SELECT podium_aggregate(x, 1, 120, 0.1) FROM generate_series(1, 40) x), '{0.5}');
SELECT bin, round(share::numeric, 6) AS share
FROM podium_histogram((SELECT podium_aggregate(x, 1, 120, 0.1) FROM generate_series(1, 40) x), 2);
SELECT count(*) FROM podium_quantiles(NULL, '{0.5}');

SELECT podium_quantiles(aggregate, '{0.5, 1.1}') FROM aggregates;
SELECT podium_quantiles(aggregate, '{-0.1}') FROM aggregates;
SELECT podium_quantiles(aggregate, '{nan}') FROM aggregates;
SELECT podium_quantiles(aggregate, '{NULL}') FROM aggregates;
SELECT podium_histogram(aggregate, 0) FROM aggregates;
SELECT podium_histogram(aggregate, 513) FROM aggregates;
DROP TABLE aggregates;
