/*
 * The SQLite extension, linked into a program instead of loaded, so that sanitizers see it: draws, NULL, errors,
 * windows, many collections, interruptions, threads, forks, and every allocation that can fail.
 */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

int sqlite3_podium_init(sqlite3 *db, char **error, const void *api);

/* ---- Running SQL ---- */

static sqlite3 *open_at(const char *path) {
    sqlite3 *db;
    char *error = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_podium_init(db, &error, NULL), SQLITE_OK);
    return db;
}

static sqlite3 *open_new(void) {
    return open_at(":memory:");
}

static void close_db(sqlite3 *db) {
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

typedef struct {
    char text[4096];
    size_t n;
} answer;

static int add_row(void *to, int count, char **columns, char **names) {
    answer *a = to;
    (void)names;
    for (int i = 0; i < count; i++)
        a->n += (size_t)snprintf(a->text + a->n, sizeof a->text - a->n, "%s%s",
                                 i > 0      ? "|"
                                 : a->n > 0 ? " "
                                            : "",
                                 columns[i] == NULL ? "NULL" : columns[i]);
    return a->n >= sizeof a->text;
}

/* Returns the result as text, with blanks between rows and bars between columns, or the error message. */
static answer ask(sqlite3 *db, const char *sql) {
    answer a = {.n = 0};
    char *error = NULL;
    if (sqlite3_exec(db, sql, add_row, &a, &error) != SQLITE_OK)
        snprintf(a.text, sizeof a.text, "%s", error == NULL ? "error" : error);
    sqlite3_free(error);
    return a;
}

/* Compares two texts. If the expected text ends in three dots, only what comes before them must match. */
static bool is_like(const char *said, const char *text) {
    const size_t n = strlen(text), dots = strlen("...");
    const bool goes_on = n >= dots && strcmp(text + n - dots, "...") == 0;
    return goes_on ? strncmp(said, text, n - dots) == 0 : strcmp(said, text) == 0;
}

static void expect(sqlite3 *db, const char *sql, const char *text) {
    answer a = ask(db, sql);
    if (!is_like(a.text, text))
        ck_abort_msg("%s\n  gives    %s\n  and not  %s", sql, a.text, text);
}

static double number(sqlite3 *db, const char *sql) {
    answer a = ask(db, sql);
    char *end;
    double x = strtod(a.text, &end);
    ck_assert_msg(a.n > 0 && *end == '\0', "%s gives %s", sql, a.text);
    return x;
}

/* A table of reports, each with its own aggregate. A report is NULL if its id is a multiple of 11, and otherwise
   outside the support, and therefore refused, if its id is a multiple of 7. */
#define REPORTS                                                                                                        \
    "CREATE TABLE r(id INTEGER PRIMARY KEY, city TEXT, report REAL, aggregate);"                                       \
    "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 200)"                                    \
    " INSERT INTO r SELECT i, substr('abc', 1 + i % 3, 1),"                                                            \
    " CASE WHEN i % 11 = 0 THEN NULL WHEN i % 7 = 0 THEN 1e6 ELSE i * 7919 % 263 - 90.5 END, NULL FROM s;"             \
    "UPDATE r SET aggregate = (SELECT podium_aggregate(report, 1, 120, 1) FROM r AS s WHERE s.id = r.id);"

static sqlite3 *open_reports(void) {
    sqlite3 *db = open_new();
    expect(db, REPORTS, "");
    return db;
}

/* ---- Draws ---- */

/*
 * Checks that each of 100,000 rows has a draw of its own. There are 2^32 cells, so the mean number of pairs of equal
 * draws is n^2/2 times the sum of the squared probabilities of the cells. That is 1.5 for Podium, and 18 for Laplace,
 * because the cells of Laplace span 61 times the range and most of them are hardly ever drawn. The number of pairs is
 * Poisson, so it exceeds 100 once in 8e40 runs. If all rows shared one draw, 99,999 rows would repeat it.
 */
static void expect_own_draws(sqlite3 *db, const char *draw) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 100000)"
             " SELECT count(DISTINCT %s) FROM s",
             draw);
    ck_assert_double_ge(number(db, sql), 100000 - 100);
}

START_TEST(every_row_has_its_draw) {
    sqlite3 *db = open_new();
    expect_own_draws(db, "podium_privatize(5, 1, 10, 1.0)");
    expect_own_draws(db, "podium_privatize(i % 10, 1, 10, 1.0)");
    expect_own_draws(db, "podium_privatize(5, 1, 10, 1.0, 'laplace')");
    expect_own_draws(db, "round(podium_privatize(5, 1, 10, 1.0), 14)"); /* an expression of constants only */
    close_db(db);
}
END_TEST

START_TEST(two_in_a_row_differ) { /* They are equal by chance once in 2^31 runs. */
    sqlite3 *db = open_new();
    expect(db, "SELECT podium_privatize(5, 1, 10, 1.0) = podium_privatize(5, 1, 10, 1.0)", "0");
    close_db(db);
}
END_TEST

/* A schema that somebody else wrote must not be able to draw, so SQLite refuses either its definition or its use.
   (CHECK constraints are not tested, because SQLite 3.40 lets them call any function, although its manual says
   otherwise.) */
START_TEST(not_in_a_schema) {
    static const char *const schemas[][2] = {
        {"CREATE VIEW v AS SELECT podium_privatize(5, 1, 10, 1.0) AS x", "SELECT x FROM v"},
        {"CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = podium_privatize(5, 1, 10, 1.0); END",
         "INSERT INTO t VALUES (1)"},
        {"CREATE VIEW v AS SELECT podium_privatize(5, 'podium epsilon=1 range=1:10') AS x", "SELECT x FROM v"},
        {"CREATE INDEX i ON t(podium_privatize(a, 1, 10, 1.0))", "INSERT INTO t VALUES (1)"},
        {"CREATE TABLE u(a, b AS (podium_privatize(a, 1, 10, 1.0)))", "SELECT b FROM u"},
        {"CREATE TABLE u(a, b DEFAULT (podium_privatize(5, 1, 10, 1.0)))", "INSERT INTO u(a) VALUES (1)"}};
    for (size_t i = 0; i < LENGTH(schemas); i++) {
        sqlite3 *db = open_new();
        expect(db, "CREATE TABLE t(a)", "");
        answer defined = ask(db, schemas[i][0]), used = ask(db, schemas[i][1]);
        bool refused = strstr(defined.text, "prohibited") != NULL || strstr(defined.text, "unsafe") != NULL ||
                       strstr(defined.text, "non-deterministic") != NULL;
        ck_assert_msg(refused || strstr(used.text, "unsafe use of podium_privatize()") != NULL, "%s: %s; %s",
                      schemas[i][0], defined.text, used.text);
        close_db(db);
    }
}
END_TEST

START_TEST(aggregates_in_a_schema) { /* Aggregates are allowed in a schema, because they can do no harm. */
    sqlite3 *db = open_reports();
    expect(db, "PRAGMA trusted_schema = off", "");
    expect(db, "CREATE VIEW v AS SELECT city, podium_aggregate(report, 1, 120, 1) AS aggregate FROM r GROUP BY city",
           "");
    expect(db, "SELECT podium_n(podium_merge(aggregate)) = (SELECT podium_n(report, 1, 120, 1) FROM r) FROM v", "1");
    expect(db, "CREATE VIEW q AS SELECT h.* FROM v, podium_histogram(v.aggregate, 4) AS h", "");
    expect(db, "SELECT count(*) FROM q", "12");
    close_db(db);
}
END_TEST

/* At epsilon 50 a report agrees with its value to six digits, except for one report in 1e14. */
START_TEST(values_beyond_the_range) {
    sqlite3 *db = open_new();
    expect(db,
           "SELECT abs(podium_privatize(9e999, 1, 10, 50) - 10) < 1e-5, abs(podium_privatize(-9e999, 1, 10, 50) - 1) < "
           "1e-5, abs(podium_privatize(11, 1, 10, 50) - 10) < 1e-5, abs(podium_privatize(4, 1, 10, 50) - 4) < 1e-5",
           "1|1|1|1");
    close_db(db);
}
END_TEST

enum { DRAWS = 1000 };

static void draw_into(sqlite3 *db, double draws[DRAWS]) {
    sqlite3_stmt *statement;
    const char *sql = "SELECT podium_privatize(5, 1, 10, 1.0)";
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    for (int i = 0; i < DRAWS; i++) {
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        draws[i] = sqlite3_column_double(statement, 0);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
}

static size_t shared_draws(const double *a, const double *b) {
    size_t same = 0;
    for (int i = 0; i < DRAWS; i++)
        for (int k = 0; k < DRAWS; k++)
            same += a[i] == b[k];
    return same;
}

/* Compares the draws of a process and of its two children. Between two of them there are a million pairs of draws, of
   which 3e-4 are equal by chance on average; three or more are equal once in 7e10 runs. */
START_TEST(forks_share_no_words) {
    static double draws[3][DRAWS];
    sqlite3 *db = open_new();
    draw_into(db, draws[0]);
    for (int child = 1; child <= 2; child++) {
        int ends[2];
        ck_assert_int_eq(pipe(ends), 0);
        pid_t id = fork();
        if (id == 0) {
            draw_into(db, draws[child]);
            _exit(write(ends[1], draws[child], 4096) == 4096 &&
                          write(ends[1], (char *)draws[child] + 4096, sizeof draws[child] - 4096) ==
                              (ssize_t)sizeof draws[child] - 4096
                      ? 0
                      : 1);
        }
        int status;
        for (size_t got = 0; got < sizeof draws[child];) {
            ssize_t n = read(ends[0], (char *)draws[child] + got, sizeof draws[child] - got);
            ck_assert_int_gt(n, 0);
            got += (size_t)n;
        }
        ck_assert_int_eq(waitpid(id, &status, 0), id);
        ck_assert_int_eq(status, 0);
        close(ends[0]);
        close(ends[1]);
    }
    draw_into(db, draws[0]);
    ck_assert_uint_lt(shared_draws(draws[1], draws[2]), 3);
    ck_assert_uint_lt(shared_draws(draws[0], draws[1]), 3);
    ck_assert_uint_lt(shared_draws(draws[0], draws[2]), 3);
    close_db(db);
}
END_TEST

/* ---- NULL, no rows, and too few reports ---- */

START_TEST(null_in_null_out) {
    sqlite3 *db = open_reports();
    expect(db, "SELECT podium_privatize(NULL, 1, 120, 1)", "NULL");
    expect(db,
           "SELECT podium_estimate(NULL), podium_mean(NULL), podium_lower_at(NULL, 0.9), podium_aggregate_text(NULL)",
           "NULL|NULL|NULL|NULL");
    expect(db, "SELECT count(*) FROM podium_quantiles(NULL, '[0.5]')", "0");
    expect(db, "SELECT count(*) FROM podium_histogram(NULL, 5)", "0");
    expect(db, "SELECT podium_n(report, 1, 120, 1), podium_refused(report, 1, 120, 1), count(report), count(*) FROM r",
           "156|26|182|200");
    close_db(db);
}
END_TEST

START_TEST(of_nothing) {
    sqlite3 *db = open_reports();
    const char *no_rows = "SELECT podium_aggregate(report, 1, 120, 1), podium_estimate(report, 1, 120, 1),"
                          " podium_n(report, 1, 120, 1), podium_merge(aggregate) FROM r WHERE id < 0",
               *nulls = "SELECT podium_aggregate(report, 1, 120, 1), podium_estimate(report, 1, 120, 1),"
                        " podium_n(report, 1, 120, 1), podium_merge(aggregate) FROM r WHERE id % 11 = 0";
    expect(db, no_rows, "NULL|NULL|NULL|NULL");
    expect(db, nulls, "NULL|NULL|NULL|NULL");
    close_db(db);
}
END_TEST

#define UNKNOWN                                                                                                        \
    "\"mean\":null,\"standard_error\":null,\"lower\":null,\"upper\":null,\"variance\":null,\"standard_deviation\":"    \
    "null,\"confidence\":0.95,\"interval\":\"normal\",\"about\":\"these people\"}"

START_TEST(too_few) {
    sqlite3 *db = open_new();
    expect(db, "SELECT podium_estimate(50, 1, 120, 1)", "{\"n\":1,\"refused\":0," UNKNOWN);
    expect(db, "SELECT podium_estimate(1e9, 1, 120, 1)", "{\"n\":0,\"refused\":1," UNKNOWN);
    expect(db, "SELECT podium_mean(50, 1, 120, 1), podium_upper_at(podium_aggregate(50, 1, 120, 1), 0.9)", "NULL|NULL");
    expect(db, "SELECT podium_n(podium_merge(podium_aggregate(1e9, 1, 120, 1)))",
           "misuse of aggregate function "
           "podium_aggregate()");
    close_db(db);
}
END_TEST

/* An aggregate without reports, which the program writes for an empty file, is valid. */
START_TEST(empty_aggregate) {
    sqlite3 *db = open_new();
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 1, 120);
    podium_aggregate a;
    static char sql[PODIUM_AGGREGATE_TEXT_MAX + 128], text[PODIUM_AGGREGATE_TEXT_MAX];
    podium_aggregate_init(&c, &a);
    podium_aggregate_format(&a, text, sizeof text);
    snprintf(sql, sizeof sql,
             "SELECT podium_n(podium_merge(x)), podium_estimate(podium_merge(x)) FROM (SELECT '%s' AS x)", text);
    expect(db, sql, "0|{\"n\":0,\"refused\":0," UNKNOWN);
    close_db(db);
}
END_TEST

/* ---- Errors ---- */

START_TEST(errors) {
    static const char *const wrong[][2] = {
        {"SELECT podium_privatize('5', 1, 10, 1)", "podium_privatize: value must be a number, and is text"},
        {"SELECT podium_privatize('abc', 1, 10, 1)", "podium_privatize: value must be a number, and is text"},
        {"SELECT podium_privatize(x'05', 1, 10, 1)", "podium_privatize: value must be a number, and is a blob"},
        {"SELECT podium_privatize(5, '1', 10, 1)", "podium_privatize: min must be a number, and is text"},
        {"SELECT podium_privatize(5, 1, NULL, 1)", "podium_privatize: max must be a number, and is NULL"},
        {"SELECT podium_privatize(5, 1, 10, x'01')", "podium_privatize: epsilon must be a number, and is a blob"},
        {"SELECT podium_privatize(5, 10, 1, 1)", "podium_privatize: min is not below max"},
        {"SELECT podium_privatize(5, 1, 10, 0)", "podium_privatize: epsilon is not positive"},
        {"SELECT podium_privatize(NULL, 1, 10, 0)", "podium_privatize: epsilon is not positive"},
        {"SELECT podium_privatize(5, 1, 9e999, 1)", "podium_privatize: min or max is not a finite number"},
        {"SELECT podium_privatize(5, 1, 10, 1, 5)", "podium_privatize: mechanism must be text, and is a number"},
        {"SELECT podium_privatize(5, 1, 10, 1, '')",
         "podium_privatize: no mechanism is called \"\"; it must be one of podium, podium-approximate, ..."},
        {"SELECT podium_privatize(5, 1, 10, 1, 'minimax:1')",
         "podium_privatize: minimax cannot have \"1\" as its cells; cells must be from 2 to 65536, and only mechanisms with "
         "that parameter take it"},
        {"SELECT podium_privatize(5, 1, 10)", "wrong number of arguments to function podium_privatize()"},
        {"SELECT podium_privatize(5, 'podium range=1:10')",
         "podium_privatize: spec lacks \"epsilon=\"; it should read like \"podium epsilon=1 range=0:1\""},
        {"SELECT podium_privatize(5, 'podium epsilon=0 range=1:10')",
         "podium_privatize: spec is wrong at \"epsilon\", column 8; epsilon is not positive"},
        {"SELECT podium_privatize(5, 'podium epsilon=1 range=1:1.000000000000001')",
         "podium_privatize: max - min is too small beside min and max for a double to hold the reports: subtract an "
         "offset first"},
        {"SELECT podium_privatize(5, NULL)", "podium_privatize: spec must be text, and is NULL"},
        {"SELECT podium_privatize(NULL, x'00')", "podium_privatize: spec must be text, and is a blob"},
        {"SELECT podium_privatize('podium epsilon=1 range=1:10', '5')",
         "podium_privatize: value must be a number, and is text"}, /* the arguments are swapped, and the message must
                                                                      not quote a value */
        {"SELECT podium_n(report, 'podium range=1:120') FROM r",
         "podium_n: spec lacks \"epsilon=\"; it should read like \"podium epsilon=1 range=0:1\""},
        {"SELECT podium_n(report, NULL) FROM r", "podium_n: spec must be text, and is NULL"},
        {"SELECT podium_spec(17)", "podium_spec: aggregate must be a blob or text, and is a number"},
        {"SELECT podium_aggregate('5', 1, 120, 1)", "podium_aggregate: report must be a number, and is text"},
        {"SELECT podium_mean(report, 1, 120, 0) FROM r", "podium_mean: epsilon is not positive"},
        {"SELECT podium_mean(NULL, 1, 120, 0)", "podium_mean: epsilon is not positive"},
        {"SELECT podium_mean('abc')", "podium_mean: not an aggregate as podium_aggregate or the program makes it"},
        {"SELECT podium_mean('')", "podium_mean: not an aggregate as podium_aggregate or the program makes it"},
        {"SELECT podium_mean(x'')", "podium_mean: not an aggregate as podium_aggregate or the program makes it"},
        {"SELECT podium_mean(zeroblob(1000))",
         "podium_mean: not an aggregate as podium_aggregate or the program makes it"},
        {"SELECT podium_mean(17)", "podium_mean: aggregate must be a blob or text, and is a number"},
        {"SELECT podium_aggregate_text(17)",
         "podium_aggregate_text: aggregate must be a blob or text, and is a number"},
        {"SELECT podium_merge('abc')", "podium_merge: not an aggregate as podium_aggregate or the program makes it"},
        {"SELECT podium_lower_at(aggregate, 1) FROM r",
         "podium_lower_at: confidence must be between 0 and 1, such as 0.95"},
        {"SELECT podium_lower_at(aggregate, '0.9') FROM r",
         "podium_lower_at: confidence must be a number, and is text"},
        {"SELECT podium_estimate_at(aggregate, 0) FROM r",
         "podium_estimate_at: confidence must be between 0 and 1, such as 0.95"},
        {"SELECT podium_estimate_at(aggregate, 0.9, 'wide') FROM r",
         "podium_estimate_at: interval must be 'normal', 'guaranteed' or 'anytime'"},
        {"SELECT podium_upper_at(aggregate, 0.9, NULL) FROM r",
         "podium_upper_at: interval must be 'normal', 'guaranteed' or 'anytime'"},
        {"SELECT podium_upper_at(aggregate, 0.9, 'normal', 'people') FROM r",
         "podium_upper_at: population must be true or false"},
        {"SELECT podium_difference_at(aggregate, aggregate, 1) FROM r",
         "podium_difference_at: confidence must be between 0 and 1, such as 0.95"},
        {"SELECT podium_difference_at(aggregate, aggregate, 0.9, 'wide') FROM r",
         "podium_difference_at: interval must be 'normal', 'guaranteed' or 'anytime'"},
        {"SELECT podium_difference_at(aggregate, aggregate, 0.9, 'normal', 2) FROM r",
         "podium_difference_at: population must be true or false"},
        {"SELECT podium_difference_at(podium_aggregate(1, 1, 120, 1), podium_aggregate(1, 1, 120, 2), 0.9, 'anytime')",
         "podium_difference_at: the aggregates have different specs, \"podium epsilon=1 range=1:120\" and \"podium "
         "epsilon=2 range=1:120\""},
        {"SELECT podium_difference(aggregate, 5) FROM r",
         "podium_difference: aggregate must be a blob or text, and is a number"},
        {"SELECT podium_difference(podium_aggregate(1, 1, 120, 1), podium_aggregate(1, 1, 120, 2))",
         "podium_difference: the aggregates have different specs, \"podium epsilon=1 range=1:120\" and \"podium epsilon=2 "
         "range=1:120\""},
        {"SELECT podium_mean(aggregate, 0.9) FROM r", "podium_mean: spec must be text, and is a number"},
        {"SELECT podium_mean(aggregate, 0.9, 1) FROM r", "wrong number of arguments to function podium_mean()"},
        {"SELECT podium_merge(s) FROM (SELECT podium_aggregate(1, 1, 120, 1) AS s UNION ALL"
         " SELECT podium_aggregate(1, 1, 120, 2))",
         "podium_merge: the aggregated rows have different specs, \"podium epsilon=1 range=1:120\" and \"podium epsilon=2 "
         "range=1:120\""},
        {"SELECT * FROM podium_quantiles",
         "podium_quantiles: takes an aggregate and probabilities, as in podium_quantiles(aggregate, '[0.25, 0.5]')"},
        {"SELECT * FROM podium_histogram((SELECT aggregate FROM r))",
         "podium_histogram: takes an aggregate and a number of bins, as in podium_histogram(aggregate, 20)"},
        {"SELECT * FROM podium_histogram((SELECT aggregate FROM r), 0)",
         "podium_histogram: bins must be a whole number from 1 to 512"},
        {"SELECT * FROM podium_histogram((SELECT aggregate FROM r), '20')",
         "podium_histogram: bins must be a whole number from 1 to 512"},
        {"SELECT * FROM podium_histogram('abc', 5)",
         "podium_histogram: not an aggregate as podium_aggregate or the program makes it"}};
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(wrong); i++)
        expect(db, wrong[i][0], wrong[i][1]);
    close_db(db);
}
END_TEST

START_TEST(wrong_probabilities) {
    static const char *const wrong[] = {
        "'[0.5, 1.5]'", "'[-0.1]'", "'[\"0.5\"]'", "'[null]'", "'{\"p\": 0.5}'", "'[0.5'", "'[[0.5]]'",
        "'half'",       "''",       "x'00'",       "'[true]'", "'[0.5, 1e999]'", "2"};
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT * FROM podium_quantiles((SELECT aggregate FROM r WHERE id = 1), %s)",
                 wrong[i]);
        expect(db, sql,
               "podium_quantiles: probabilities must be numbers from 0 to 1 in a JSON array, such as '[0.25, 0.5]'");
    }
    expect(db, "SELECT count(*) FROM podium_quantiles((SELECT aggregate FROM r WHERE id = 1), '[]')", "0");
    expect(db, "SELECT p FROM podium_quantiles((SELECT aggregate FROM r WHERE id = 1), '[1, 0, 0.5, 0.5]')",
           "1.0 0.0 0.5 0.5");
    expect(db, "SELECT p FROM podium_quantiles((SELECT aggregate FROM r WHERE id = 1), 0.25)", "0.25");
    close_db(db);
}
END_TEST

#define CHANGED(a, b) "podium_mean: the aggregated rows have different specs, \"" a "\" and \"" b "\""
#define USUAL "podium epsilon=1 range=1:120"

START_TEST(parameters_that_change) { /* Only the last row differs. */
    static const struct {
        const char *parameters, *message;
    } changes[] = {
        {"id / 200, 120, 1", CHANGED("podium epsilon=1 range=0:120", USUAL)},
        {"1, 120 + id / 200, 1", CHANGED(USUAL, "podium epsilon=1 range=1:121")},
        {"1, 120, 1 + id / 200", CHANGED(USUAL, "podium epsilon=2 range=1:120")},
        {"1, 120, 1, iif(id < 200, 'podium', 'laplace')", CHANGED(USUAL, "laplace epsilon=1 range=1:120")},
        {"1, 120, 1, iif(id < 200, NULL, 'laplace')", CHANGED(USUAL, "laplace epsilon=1 range=1:120")},
        {"1, 120, 1, iif(id < 200, 'minimax', 'minimax:128')",
         CHANGED("minimax epsilon=1 range=1:120", "minimax epsilon=1 range=1:120 cells=128")},
        {"iif(id < 200, '" USUAL "', 'podium epsilon=1 range=1:121')", CHANGED(USUAL, "podium epsilon=1 range=1:121")},
        {"iif(id < 200, '" USUAL "', NULL)", "podium_mean: spec must be text, and is NULL"},
        {"iif(id < 200, '" USUAL "', '" USUAL "0 0')",
         "podium_mean: spec is wrong at \"0\", column 31; it should read like \"podium epsilon=1 range=0:1\""},
        {"1, 120, iif(id < 200, 1, NULL)", "podium_mean: epsilon must be a number, and is NULL"},
        {"1, 120, 1, iif(id < 200, NULL, '')",
         "podium_mean: no mechanism is called \"\"; it must be one of podium, ..."},
        {"iif(id < 200, 0, 'abc'), 120, 1", "podium_mean: min must be a number, and is text"},
        {"iif(id < 200, 0, NULL), 120, 1", "podium_mean: min must be a number, and is NULL"},
    };
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(changes); i++) {
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT podium_mean(report, %s) FROM r", changes[i].parameters);
        expect(db, sql, changes[i].message);
        snprintf(sql, sizeof sql, "SELECT podium_mean(report, %s) OVER (ORDER BY id ROWS 5 PRECEDING) FROM r",
                 changes[i].parameters);
        expect(db, sql, changes[i].message);
    }
    /* The same parameters may be written in different ways, and each group may have its own parameters. */
    expect(db,
           "SELECT podium_n(report, iif(id < 99, 1, 1.0), 120, 1, iif(id < 99, 'podium', NULL)),"
           " podium_n(0, 0, 120, 1, iif(id < 99, 'minimax', 'minimax:256')),"
           " podium_n(report, iif(id < 99, 0, -0.0), 120, 1) FROM r",
           "156|0|156");
    expect(db,
           "SELECT podium_n(report, iif(id % 2, '" USUAL "', ' podium range=1e0:120  epsilon=1.0')),"
           " podium_n(0, iif(id % 3, 'minimax epsilon=1 range=0:120', 'minimax epsilon=1 range=-0:120 cells=256'))"
           " FROM r",
           "156|0");
    expect(db, "SELECT podium_n(report, 1, 120, unicode(city) - 96) FROM r GROUP BY city", "51 45 38");
    expect(db, "SELECT podium_n(report, 'podium range=1:120 epsilon=' || (unicode(city) - 96)) FROM r GROUP BY city",
           "51 45 38");
    close_db(db);
}
END_TEST

/* ---- Results ---- */

/* For every mechanism, the results are those of the library, whether they come from reports or from their aggregate as
   a blob or as text. */
START_TEST(as_the_library) {
    uint64_t seed = 401;
    podium_random random = seeded_random(&seed);
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        enum { COUNT = 500 };
        sqlite3 *db = open_new();
        podium_spec spec = spec_of((podium_mechanism)m, 1.5, -3, 11);
        char line[PODIUM_SPEC_TEXT_MAX];
        ck_assert_uint_gt(podium_spec_format(&spec, line, sizeof line), 0);
        podium_collection c = collection_from(&spec);
        double reports[COUNT];
        podium_aggregate a, again;
        podium_summary e;
        for (int i = 0; i < COUNT; i++)
            reports[i] = 14 * seeded_uniform(&seed) - 3;
        ck_assert_int_eq(podium_privatize_from(&c, &random, reports, reports, COUNT), PODIUM_OK);
        podium_aggregate_init(&c, &a);
        ck_assert_int_eq(podium_aggregate_add(&c, &a, reports, COUNT), PODIUM_OK);
        ck_assert_int_eq(podium_summary_make(&c, NULL, &e, &a, NULL), PODIUM_OK);

        sqlite3_stmt *statement;
        expect(db, "CREATE TABLE t(report)", "");
        ck_assert_int_eq(sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?)", -1, &statement, NULL), SQLITE_OK);
        for (int i = 0; i < COUNT; i++) {
            sqlite3_bind_double(statement, 1, reports[i]);
            ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);

        const char *sql =
            "WITH s AS (SELECT podium_aggregate(report, ?1) AS aggregate FROM t)"
            " SELECT aggregate, podium_n(aggregate), podium_mean(aggregate), podium_standard_error(aggregate),"
            " podium_lower(aggregate), podium_upper(aggregate), podium_variance(aggregate),"
            " podium_standard_deviation(podium_aggregate_text(aggregate)), podium_aggregate_text(aggregate), podium_spec(aggregate) FROM s";
        ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        sqlite3_bind_text(statement, 1, line, -1, SQLITE_STATIC);
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        ck_assert_int_eq(podium_aggregate_decode(NULL, &again, sqlite3_column_blob(statement, 0),
                                                 (size_t)sqlite3_column_bytes(statement, 0)),
                         PODIUM_OK);
        ck_assert(memcmp(&a, &again, sizeof a) == 0);
        ck_assert_int_eq(podium_aggregate_parse(NULL, &again, (const char *)sqlite3_column_text(statement, 8),
                                                (size_t)sqlite3_column_bytes(statement, 8)),
                         PODIUM_OK);
        ck_assert(memcmp(&a, &again, sizeof a) == 0);
        ck_assert_int_eq(sqlite3_column_int(statement, 1), COUNT);
        ck_assert_str_eq((const char *)sqlite3_column_text(statement, 9), line);
        ck_assert(sqlite3_column_double(statement, 2) == e.mean);
        ck_assert(sqlite3_column_double(statement, 3) == e.standard_error);
        ck_assert(sqlite3_column_double(statement, 4) == e.lower);
        ck_assert(sqlite3_column_double(statement, 5) == e.upper);
        ck_assert(podium_collection_tells_spread(&c) == (e.spread_known == PODIUM_KNOWN_ESTIMATED));
        if (!podium_collection_tells_spread(&c)) {
            ck_assert_int_eq(sqlite3_column_type(statement, 6), SQLITE_NULL);
            ck_assert_int_eq(sqlite3_column_type(statement, 7), SQLITE_NULL);
        } else {
            ck_assert(sqlite3_column_double(statement, 6) == e.variance);
            ck_assert(sqlite3_column_double(statement, 7) == e.standard_deviation);
        }
        sqlite3_finalize(statement);
        close_db(db);
    }
}
END_TEST

/* A spec means the same as min, max, epsilon and mechanism, in every function that accepts them, also in a window. */
START_TEST(one_text) {
    static const char *const names[] = {"aggregate",      "estimate", "n",     "refused",  "mean",
                                        "standard_error", "lower",    "upper", "variance", "standard_deviation"};
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(names); i++)
        for (int window = 0; window < 2; window++) {
            char sql[512];
            const char *over = window ? "OVER (ORDER BY id ROWS 20 PRECEDING)" : "";
            snprintf(sql, sizeof sql,
                     "SELECT min(a IS b), count(a) > 0 FROM (SELECT podium_%s(report, 'laplace epsilon=3 range=1:120')"
                     " %s AS a, podium_%s(report, 1, 120, 3, 'laplace') %s AS b FROM r)",
                     names[i], over, names[i], over);
            expect(db, sql, "1|1");
        }
    expect_own_draws(db, "podium_privatize(5, 'podium epsilon=1 range=1:10')");
    expect(db, "SELECT podium_privatize(NULL, '" USUAL "')", "NULL");
    expect(db, "SELECT abs(podium_privatize(4, 'podium epsilon=50 range=1:10') - 4) < 1e-5", "1");
    expect(
        db,
        "SELECT podium_spec(podium_merge(aggregate)), podium_spec(podium_aggregate_text(podium_merge(aggregate))) FROM r",
        USUAL "|" USUAL);
    expect(db, "SELECT podium_spec(NULL)", "NULL");
    close_db(db);
}
END_TEST

/* The specs come from a column, and there are more of them than the cache holds. Some are wrong. Each row must be
   treated by its own spec. */
START_TEST(specs_in_turn) {
    sqlite3 *db = open_new();
    expect(db,
           "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 199)"
           " SELECT count(*), min(abs(podium_privatize(100 * (i % 11), printf('podium epsilon=50 range=%d:%d',"
           " 100 * (i % 11) - 1, 100 * (i % 11) + 1)) - 100 * (i % 11)) < 1e-5) FROM s",
           "200|1");
    for (int i = 0; i < 20; i++) { /* A spec that fails takes an entry of the cache, and must leave it empty. */
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT podium_privatize(5, 'podium epsilon=1 range=%d:%d.0000000000001')", i + 1,
                 i + 1);
        ck_assert_ptr_nonnull(strstr(ask(db, sql).text, "max - min is too small"));
        ck_assert_ptr_nonnull(strstr(ask(db, sql).text, "max - min is too small"));
        expect(db, "SELECT abs(podium_privatize(5, 'podium epsilon=50 range=4:6') - 5) < 1e-5", "1");
    }
    close_db(db);
}
END_TEST

/* Returns the number after a key, as the C library reads it. */
static double json_number(const char *json, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    ck_assert_ptr_nonnull(at);
    return strtod(at + strlen(quoted), NULL);
}

/* Returns the double of a column exactly; SQLite's text of it would be rounded. */
static double exactly(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    double x = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return x;
}

START_TEST(json) {
    static const char *const keys[] = {"n",     "refused", "mean",     "standard_error",
                                       "lower", "upper",   "variance", "standard_deviation"};
    sqlite3 *db = open_reports();
    answer a = ask(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r");
    for (size_t i = 0; i < LENGTH(keys); i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT podium_%s(report, 1, 120, 1) FROM r", keys[i]);
        ck_assert(json_number(a.text, keys[i]) == exactly(db, sql));
    }
    ck_assert(json_number(a.text, "confidence") == 0.95);
    expect(db, "SELECT json_valid(podium_estimate(report, 1, 120, 1)) FROM r", "1");
    expect(db,
           "SELECT min(json_valid(e)), count(e) FROM (SELECT podium_estimate(report, 1, 120, 1, 'duchi') AS e FROM r"
           " WHERE report NOT NULL GROUP BY id)",
           "1|182");
    expect(db, "SELECT group_concat(key) FROM json_each((SELECT podium_estimate(report, 1, 120, 1) FROM r))",
           "n,refused,mean,standard_error,lower,upper,variance,standard_deviation,confidence,interval,about");
    expect(db, "SELECT podium_estimate_at(aggregate, 0.5) ->> 'confidence' FROM r WHERE id = 1", "0.5");
    close_db(db);
}
END_TEST

START_TEST(difference_of_two_groups) {
    sqlite3 *db = open_reports();
    expect(db, "SELECT group_concat(key) FROM r, json_each(podium_difference(aggregate, aggregate)) WHERE r.id = 1",
           "difference,standard_error,lower,upper,p_value,confidence,interval,about");
    expect(db,
           "WITH g AS (SELECT podium_aggregate(report, 1, 120, 1) FILTER (WHERE id % 3 = 0) AS a,"
           " podium_aggregate(report, 1, 120, 1) FILTER (WHERE id % 3 > 0) AS b FROM r), d AS"
           " (SELECT a, b, podium_difference(a, b) AS d, podium_difference_at(b, a, 0.5) AS e FROM g)"
           " SELECT abs((d ->> 'difference') - podium_mean(a) + podium_mean(b)) < 1e-9,"
           " (d ->> 'difference') = -(e ->> 'difference'), (d ->> 'p_value') = (e ->> 'p_value'),"
           " (d ->> 'lower') < -(e ->> 'upper'), e ->> 'confidence' FROM d",
           "1|1|1|1|0.5");
    expect(db, "SELECT podium_difference(podium_aggregate(1, 1, 120, 1), podium_aggregate(2, 1, 120, 1))",
           "{\"difference\":null,\"standard_error\":null,\"lower\":null,\"upper\":null,\"p_value\":null,"
           "\"confidence\":0.95,\"interval\":\"normal\",\"about\":\"these people\"}");
    expect(db,
           "SELECT podium_difference(NULL, aggregate) IS NULL, podium_difference(aggregate, NULL) IS NULL FROM r"
           " WHERE id = 1",
           "1|1");
    close_db(db);
}
END_TEST

/* Each kind of interval is wider than the one before it, and so is one for populations. */
START_TEST(difference_intervals) {
    sqlite3 *db = open_reports();
    expect(
        db,
        "WITH g AS (SELECT podium_aggregate(report, 1, 120, 1) FILTER (WHERE id % 3 = 0) AS a,"
        " podium_aggregate(report, 1, 120, 1) FILTER (WHERE id % 3 > 0) AS b FROM r), d AS"
        " (SELECT podium_difference_at(a, b, 0.5) AS plain, podium_difference_at(a, b, 0.5, 'normal', false) AS n,"
        " podium_difference_at(a, b, 0.5, 'guaranteed') AS g, podium_difference_at(a, b, 0.5, 'guaranteed', true) AS p,"
        " podium_difference_at(a, b, 0.5, 'anytime') AS t FROM g)"
        " SELECT plain = n, (n ->> 'upper') < (g ->> 'upper'), (g ->> 'upper') < (p ->> 'upper'),"
        " (g ->> 'lower') > (t ->> 'lower'), (n ->> 'p_value') < (g ->> 'p_value') FROM d",
        "1|1|1|1|1");
    expect(db,
           "SELECT d ->> 'confidence', d ->> 'interval', d ->> 'about' FROM (SELECT podium_difference_at(aggregate,"
           " aggregate, 0.9, 'anytime', true) AS d FROM r WHERE id = 1)",
           "0.9|anytime|population");
    close_db(db);
}
END_TEST

START_TEST(json_in_other_locales) {
    sqlite3 *db = open_reports();
    answer a = ask(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r");
    enter_locale(odd_locales[_i]);
    expect(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r", a.text);
    setlocale(LC_NUMERIC, "C");
    close_db(db);
}
END_TEST

START_TEST(confidence) {
    sqlite3 *db = open_reports();
    expect(
        db,
        "WITH s AS (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM r)"
        " SELECT podium_lower_at(aggregate, 0.95) = podium_lower(aggregate), podium_lower_at(aggregate, 0.5) > podium_lower_at(aggregate, 0.9),"
        " podium_upper_at(aggregate, 0.5) < podium_upper_at(aggregate, 0.9), podium_estimate(aggregate) = podium_estimate_at(aggregate, 0.95)"
        " FROM s",
        "1|1|1|1");
    expect(db,
           "WITH s AS (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM r)"
           " SELECT podium_estimate_at(aggregate, 0.5, 'normal', false) = podium_estimate_at(aggregate, 0.5),"
           " podium_upper_at(aggregate, 0.5, 'normal') < podium_upper_at(aggregate, 0.5, 'guaranteed'),"
           " podium_upper_at(aggregate, 0.5, 'guaranteed') < podium_upper_at(aggregate, 0.5, 'guaranteed', true),"
           " podium_lower_at(aggregate, 0.5, 'guaranteed') > podium_lower_at(aggregate, 0.5, 'anytime') FROM s",
           "1|1|1|1");
    expect(db,
           "SELECT e ->> 'confidence', e ->> 'interval', e ->> 'about' FROM (SELECT podium_estimate_at("
           "podium_aggregate(report, 1, 120, 1), 0.9, 'anytime', true) AS e FROM r)",
           "0.9|anytime|population");
    close_db(db);
}
END_TEST

/* No interval holds at all times if something left a frame. */
START_TEST(anytime_in_windows) {
    sqlite3 *db = open_reports();
    expect(
        db,
        "SELECT group_concat(a IS NULL), sum(g IS NULL) FROM (SELECT podium_upper_at(aggregate, 0.5, 'anytime') AS a,"
        " podium_upper_at(aggregate, 0.5, 'guaranteed') AS g FROM (SELECT podium_aggregate(report, 1, 120, 1) OVER"
        " (ORDER BY id ROWS 3 PRECEDING) AS aggregate FROM r WHERE report NOT NULL LIMIT 6))",
        "1,0,0,0,1,1|1");
    close_db(db);
}
END_TEST

/* ---- Rows ---- */

/* Checks that a statement returns `count` rows of `columns` doubles. Its only parameter is bound to the bytes. */
static void expect_rows(sqlite3 *db, const char *sql, const unsigned char *bytes, size_t n, const double *rows,
                        int count, int columns) {
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    sqlite3_bind_blob(statement, 1, bytes, (int)n, SQLITE_STATIC);
    ck_assert_int_eq(sqlite3_column_count(statement), columns);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        for (int k = 0; k < columns; k++)
            ck_assert(sqlite3_column_double(statement, k) == rows[i * columns + k]);
    }
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
}

/* All values are in the lower half of the range. */
START_TEST(quantiles_and_histogram) {
    sqlite3 *db = open_new();
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 10);
    podium_aggregate a;
    static podium_summary summary;
    const podium_distribution *d = &summary.distribution;
    const podium_question question = {.shape = true, .bins = 7};
    static double values[20000];
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    uint64_t seed = 402;
    podium_random random = seeded_random(&seed);
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = 5 * seeded_uniform(&seed);
    ck_assert_int_eq(podium_privatize_from(&c, &random, values, values, LENGTH(values)), PODIUM_OK);
    podium_aggregate_init(&c, &a);
    ck_assert_int_eq(podium_aggregate_add(&c, &a, values, LENGTH(values)), PODIUM_OK);
    ck_assert_int_eq(podium_summary_make(&c, NULL, &summary, &a, &question), PODIUM_OK);
    size_t n = podium_aggregate_encode(&a, bytes, sizeof bytes);

    double quantiles[2][4];
    for (int i = 0; i < 2; i++) {
        const double p = 0.25 * (i + 1);
        const podium_limits limits = podium_distribution_quantile_limits(d, p);
        memcpy(quantiles[i], (double[]){p, podium_distribution_quantile(d, p), limits.lower, limits.upper},
               sizeof quantiles[i]);
    }
    expect_rows(db, "SELECT * FROM podium_quantiles(?1, '[0.25, 0.5]')", bytes, n, quantiles[0], 2, 4);
    expect_rows(db, "SELECT telling, bin FROM podium_histogram(?1, 1)", bytes, n, (double[]){1, 1}, 1, 2);
    double shares[7][6];
    for (int i = 0; i < 7; i++) {
        const podium_bin bin = podium_distribution_bin(d, (uint32_t)i);
        memcpy(shares[i], (double[]){i + 1, bin.from, bin.to, bin.share, bin.lower, bin.upper}, sizeof shares[i]);
    }
    expect_rows(db, "SELECT * FROM podium_histogram(?1, 7)", bytes, n, shares[0], 7, 6);
    expect_rows(db, "SELECT rowid FROM podium_histogram(?1, 2)", bytes, n, (double[]){1, 2}, 2, 1);
    close_db(db);
}
END_TEST

START_TEST(rows_unknown) { /* One report is too few, and a mechanism with two outputs reveals only the mean. */
    sqlite3 *db = open_new();
    expect(db, "SELECT * FROM podium_histogram((SELECT podium_aggregate(50, 1, 121, 1)), 2)",
           "1|1.0|61.0|NULL|NULL|NULL 2|61.0|121.0|NULL|NULL|NULL");
    expect(db, "SELECT *, telling FROM podium_quantiles((SELECT podium_aggregate(50, 1, 120, 1)), '[0.5]')",
           "0.5|NULL|NULL|NULL|0");
    expect(db,
           "CREATE TABLE t AS WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 9)"
           " SELECT podium_privatize(i, 1, 9, 1, 'duchi') AS report FROM s;"
           "SELECT * FROM podium_quantiles((SELECT podium_aggregate(report, 1, 9, 1, 'duchi') FROM t), '[0.5]');",
           "0.5|NULL|NULL|NULL");
    expect(db, "SELECT * FROM podium_histogram((SELECT podium_aggregate(report, 1, 9, 1, 'duchi') FROM t), 2)",
           "1|1.0|5.0|NULL|NULL|NULL 2|5.0|9.0|NULL|NULL|NULL");
    close_db(db);
}
END_TEST

START_TEST(rows_in_joins) {
    sqlite3 *db = open_reports();
    expect(db, "CREATE TABLE s AS SELECT city, podium_aggregate(report, 1, 120, 1) AS aggregate FROM r GROUP BY city",
           "");
    expect(db, "SELECT s.city, count(*) FROM s, podium_histogram(aggregate, 4) GROUP BY s.city", "a|4 b|4 c|4");
    expect(db, "SELECT s.city, count(*) FROM podium_histogram(s.aggregate, 4) AS h, s GROUP BY s.city", "a|4 b|4 c|4");
    expect(db,
           "SELECT count(*) FROM s JOIN podium_quantiles AS q ON q.argument_aggregate = s.aggregate AND "
           "q.argument_probabilities = '[0.5]'",
           "3");
    expect(db, "SELECT count(*) FROM s LEFT JOIN podium_quantiles(nullif(s.aggregate, s.aggregate), '[0.5]')", "3");
    /* SQLite itself checks a second condition on an argument. */
    expect(db, "SELECT count(*) FROM s, podium_histogram(s.aggregate, 4) AS h WHERE h.argument_bins = 5", "0");
    expect(
        db,
        "SELECT count(*) FROM s, podium_histogram(s.aggregate, 4) AS h WHERE h.argument_bins = 4 AND h.argument_aggregate = "
        "s.aggregate",
        "12");
    expect(db, "SELECT count(*) FROM s, podium_histogram(s.aggregate, 4) AS h WHERE h.argument_bins IN (4, 5)", "12");
    expect(db, "SELECT count(*) FROM s, podium_histogram(s.aggregate, 4, 1) WHERE telling = 0", "0");
    expect(db, "SELECT telling FROM podium_histogram((SELECT aggregate FROM r WHERE id = 1), 1)", "0");
    close_db(db);
}
END_TEST

/* ---- Windows ---- */

static const struct {
    const char *frame, *rows;
} frames[] = {
    {"ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING", "s.id BETWEEN r.id - 3 AND r.id + 2"},
    {"ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "s.id <= r.id"},
    {"ORDER BY id", "s.id <= r.id"},
    {"ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "s.id >= r.id"},
    {"ORDER BY id ROWS BETWEEN 5 FOLLOWING AND 7 FOLLOWING", "s.id BETWEEN r.id + 5 AND r.id + 7"},
    {"ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW", "s.id = r.id"},
    {"ORDER BY id / 4 RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING", "s.id / 4 BETWEEN r.id / 4 - 2 AND r.id / 4 - 1"},
    {"ORDER BY id / 4 GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "s.id / 4 BETWEEN r.id / 4 - 1 AND r.id / 4 + 1"},
    {"ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW",
     "s.id BETWEEN r.id - 3 AND r.id + 3 AND s.id <> r.id"},
    {"PARTITION BY city ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
     "s.city = r.city AND s.id BETWEEN r.id - 6 AND r.id"},
};

/* The bytes of an aggregate after its flags. A flag says whether something left a frame. */
#define AFTER_FLAGS(aggregate) "substr(" aggregate ", 9)"

/* The result of every frame is, to the bit, that of a plain aggregate of the same rows. */
START_TEST(windows) {
    static const char *const calls[] = {"podium_aggregate(%sreport, 1, 120, 1)", "podium_merge(%saggregate)",
                                        "podium_estimate(%sreport, 1, 120, 1)",
                                        "podium_upper(%sreport, 1, 120, 1, 'podium')"};
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(frames); i++)
        for (size_t k = 0; k < LENGTH(calls); k++) {
            char window[128], plain[128], sql[1024];
            snprintf(window, sizeof window, "%.*s%s", (int)strcspn(calls[k], "%"), calls[k],
                     strstr(calls[k], "%s") + 2);
            snprintf(plain, sizeof plain, "%.*ss.%s", (int)strcspn(calls[k], "%"), calls[k],
                     strstr(calls[k], "%s") + 2);
            snprintf(sql, sizeof sql,
                     "SELECT count(*), sum(%s) FROM (SELECT %s OVER (%s) AS a,"
                     " (SELECT %s FROM r AS s WHERE %s) AS b FROM r)",
                     k < 2 ? AFTER_FLAGS("a") " IS NOT " AFTER_FLAGS("b") : "a IS NOT b", window, frames[i].frame,
                     plain, frames[i].rows);
            expect(db, sql, "200|0");
        }
    close_db(db);
}
END_TEST

/* With so many reports, some are still waiting to be added when the frame moves, and others have been added. */
START_TEST(long_windows) {
    static const char *const names[] = {"podium", "laplace", "duchi", "hybrid", "minimax"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        sqlite3 *db = open_new();
        char sql[1024];
        snprintf(sql, sizeof sql,
                 "CREATE TABLE t AS WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 700)"
                 " SELECT i AS id, podium_privatize(i %% 10, 0, 9, 1, '%s') AS report FROM s",
                 names[i]);
        expect(db, sql, "");
        snprintf(
            sql, sizeof sql,
            "SELECT sum(" AFTER_FLAGS("a") " IS NOT " AFTER_FLAGS(
                "b") "), min(podium_n(a)), max(podium_n(b)) FROM"
                     " (SELECT podium_aggregate(report, 0, 9, 1, '%s') OVER (ORDER BY id ROWS BETWEEN 150 PRECEDING AND 149 FOLLOWING) AS a,"
                     " (SELECT podium_aggregate(s.report, 0, 9, 1, '%s') FROM t AS s WHERE s.id BETWEEN t.id - 150 AND"
                     " t.id + 149) AS b FROM t)",
            names[i], names[i]);
        expect(db, sql, "0|150|300");
        close_db(db);
    }
}
END_TEST

/* After a frame has been empty it starts afresh, so its parameters may change. */
START_TEST(windows_that_empty) {
    sqlite3 *db = open_new();
    expect(db,
           "CREATE TABLE t AS WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6)"
           " SELECT i, iif(i < 4, 120, 130) AS most, iif(i < 4, 'laplace', 'podium') AS m FROM s",
           "");
    expect(db,
           "SELECT group_concat(n) FROM (SELECT podium_n(i, 1, most, 1.0, m) OVER (ORDER BY i ROWS BETWEEN CURRENT"
           " ROW AND CURRENT ROW) AS n FROM t)",
           "1,1,1,1,1,1");
    expect(db,
           "SELECT group_concat(n) FROM (SELECT podium_n(podium_merge(aggregate) OVER (ORDER BY i ROWS BETWEEN CURRENT"
           " ROW AND CURRENT ROW)) AS n FROM (SELECT i, podium_aggregate(i, 1, most, 1.0, m) AS aggregate FROM t GROUP"
           " BY i))",
           "1,1,1,1,1,1");
    close_db(db);
}
END_TEST

START_TEST(filters_and_groups) {
    sqlite3 *db = open_reports();
    expect(db,
           "SELECT podium_n(report, 1, 120, 1) FILTER (WHERE city = 'a') = (SELECT podium_n(report, 1, 120, 1) FROM r"
           " WHERE city = 'a') FROM r",
           "1");
    expect(db,
           "SELECT podium_merge(aggregate) = (SELECT podium_aggregate(report, 1, 120, 1) FROM r) FROM"
           " (SELECT podium_aggregate(report, 1, 120, 1) AS aggregate FROM r GROUP BY id / 13)",
           "1");
    expect(db, "SELECT podium_merge(aggregate) = (SELECT podium_merge(podium_aggregate_text(aggregate)) FROM r) FROM r",
           "1");
    close_db(db);
}
END_TEST

/* ---- Collections ---- */

/* The collections alternate, and are more than the cache holds, while a group that uses the first is still open. */
START_TEST(many_collections) {
    sqlite3 *db = open_reports();
    expect(db,
           "SELECT podium_aggregate(report, 1, 120, 1) = (SELECT podium_aggregate(report, 1, 120, 1) FROM r),"
           " count(podium_privatize(id, 0, 10, 1 + id % 20)) FROM r",
           "1|200");
    expect(db,
           "SELECT min(n), max(n), count(*) FROM (SELECT podium_n(report, 1, 120, e) AS n FROM r, (SELECT 1 + id / "
           "1000.0 AS"
           " e FROM r) GROUP BY e)",
           "156|156|200");
    close_db(db);
}
END_TEST

START_TEST(minimax_is_solved_once) { /* Solving it 5,000 times would take minutes. */
    sqlite3 *db = open_new();
    expect(db,
           "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5000)"
           " SELECT count(podium_privatize(i % 10, 0, 9, 1 + (i % 2), 'minimax')) FROM s",
           "5000");
    close_db(db);
}
END_TEST

START_TEST(in_utf_16) {
    sqlite3 *db = open_new();
    expect(db, "PRAGMA encoding = 'UTF-16'", "");
    expect(db, "CREATE TABLE t(m, s); INSERT INTO t VALUES ('laplace', NULL), ('laplace', NULL)", "");
    expect(db, "UPDATE t SET s = (SELECT podium_aggregate_text(podium_aggregate(50, 1, 120, 1, m)) FROM t)", "");
    expect(db, "SELECT podium_n(podium_merge(s)) FROM t", "4");
    expect(db, "SELECT json_valid(podium_estimate(podium_merge(s))) FROM t", "1");
    close_db(db);
}
END_TEST

/* ---- Files, interruptions, threads ---- */

START_TEST(closed_and_reopened) {
    char path[] = "/tmp/podium-sqlite-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    sqlite3 *db = open_at(path);
    expect(db,
           REPORTS "CREATE TABLE days AS SELECT id / 50 AS day, podium_aggregate(report, 1, 120, 1) AS aggregate FROM r"
                   " GROUP BY 1",
           "");
    answer before = ask(db, "SELECT podium_estimate(podium_merge(aggregate)) FROM days");
    close_db(db);
    db = open_at(path);
    expect(db, "SELECT podium_estimate(podium_merge(aggregate)) FROM days", before.text);
    expect(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r", before.text);
    close_db(db);
    unlink(path);
}
END_TEST

static int stop(void *left) {
    return --*(int *)left <= 0;
}

START_TEST(interrupted) {
    static const char *const queries[] = {
        "SELECT podium_estimate(r.report, 1, 120, 1) FROM r, r AS s, r AS t",
        "SELECT city, podium_aggregate(report, 1, 120, 1) FROM r, (SELECT id AS i FROM r) GROUP BY city, report",
        "SELECT podium_merge(aggregate) OVER (ORDER BY id ROWS 9 PRECEDING) FROM r",
        "SELECT podium_mean(report, 1, 120, 1) OVER (ORDER BY id ROWS 9 PRECEDING) FROM r",
        "SELECT sum(podium_privatize(id, 0, 200, 1)) FROM r, (SELECT id AS i FROM r)",
        "SELECT h.* FROM (SELECT podium_merge(aggregate) AS m FROM r) AS t, podium_histogram(t.m, 500) AS h"};
    sqlite3 *db = open_reports();
    for (size_t i = 0; i < LENGTH(queries); i++)
        for (int after = 1; after < 8; after++) {
            int left = after;
            sqlite3_progress_handler(db, 131, stop, &left);
            expect(db, queries[i], "interrupted");
            sqlite3_progress_handler(db, 0, NULL, NULL);
            expect(db, "SELECT podium_n(report, 1, 120, 1) FROM r", "156");
        }
    close_db(db);
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

START_TEST(version) {
    sqlite3 *db = open_new();
    expect(db, "SELECT podium_version()", PODIUM_VERSION);
    close_db(db);
}
END_TEST

START_TEST(defined_twice) {
    sqlite3 *db = open_reports();
    char *error = NULL;
    ck_assert_int_eq(sqlite3_podium_init(db, &error, NULL), SQLITE_OK);
    expect(db, "SELECT podium_n(report, 1, 120, 1) FROM r", "156");
    expect(db, "SELECT count(*) FROM podium_histogram((SELECT aggregate FROM r), 3)", "3");
    close_db(db);
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

static void *in_a_thread(void *text) {
    for (int i = 0; i < 20; i++) {
        sqlite3 *db = open_reports();
        expect(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r", text);
        expect(db, "SELECT count(podium_privatize(id, 0, 10, 1 + id % 10)) FROM r", "200");
        close_db(db);
    }
    return NULL;
}

START_TEST(a_connection_a_thread) {
    pthread_t threads[4];
    sqlite3 *db = open_reports();
    answer a = ask(db, "SELECT podium_estimate(report, 1, 120, 1) FROM r");
    close_db(db);
    for (size_t i = 0; i < LENGTH(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, in_a_thread, a.text), 0);
    for (size_t i = 0; i < LENGTH(threads); i++)
        pthread_join(threads[i], NULL);
}
END_TEST

/* ---- Memory: the n-th allocation fails, for every n ---- */

static sqlite3_mem_methods memory;
static int until_failure; /* how many allocations until one fails; 0 if none is to fail */

static bool fails_now(void) {
    return until_failure > 0 && --until_failure == 0;
}

static void *failing_malloc(int n) {
    return fails_now() ? NULL : memory.xMalloc(n);
}

static void *failing_realloc(void *old, int n) {
    return fails_now() ? NULL : memory.xRealloc(old, n);
}

static void be_able_to_fail(void) {
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory), SQLITE_OK);
    sqlite3_mem_methods failing = memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK);
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

/* Lets each allocation fail in turn. The result must be the expected text or an error, and no memory may leak. */
static void expect_or_fail(sqlite3 *db, const char *sql, const char *text) {
    size_t failures = 0;
    for (int at = 1;; at++) {
        answer a = {.n = 0};
        until_failure = at;
        int status = sqlite3_exec(db, sql, add_row, &a, NULL);
        bool over = until_failure > 0;
        until_failure = 0;
        failures += status != SQLITE_OK;
        ck_assert_msg(status == SQLITE_OK ? strcmp(a.text, text) == 0 : strstr(sqlite3_errmsg(db), "memory") != NULL,
                      "%s with allocation %d failing: %d, %s: %s", sql, at, status, sqlite3_errmsg(db), a.text);
        if (over)
            break;
    }
    ck_assert_uint_gt(failures, 10);
}

START_TEST(out_of_memory) {
    be_able_to_fail();
    sqlite3 *db = open_reports();
    expect_or_fail(db, "SELECT podium_n(report, 1, 120, 1), podium_n(podium_aggregate(report, 1, 120, 1)) FROM r",
                   "156|156");
    expect_or_fail(db, "SELECT podium_n(podium_aggregate_text(podium_merge(aggregate))) FROM r", "156");
    expect_or_fail(db, "SELECT podium_estimate(50, 1, 120, 1, 'laplace')", "{\"n\":1,\"refused\":0," UNKNOWN);
    expect_or_fail(db, "SELECT podium_privatize(5, 0, 1, 1) > -1000", "1");
    expect_or_fail(db, "SELECT podium_spec(podium_aggregate(report, '" USUAL "')) FROM r", USUAL);
    expect_or_fail(
        db,
        "SELECT max(podium_n(a)) FROM (SELECT podium_merge(aggregate) OVER (ORDER BY id ROWS 3 PRECEDING) AS a"
        " FROM r WHERE id < 20)",
        "4");
    close_db(db);
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

START_TEST(out_of_memory_for_rows) {
    be_able_to_fail();
    sqlite3 *db = open_reports();
    expect_or_fail(db, "SELECT p FROM podium_quantiles((SELECT aggregate FROM r WHERE id = 1), '[0.1, 0.2, 0.3]')",
                   "0.1 0.2 0.3");
    expect_or_fail(db, "SELECT bin FROM podium_histogram((SELECT aggregate FROM r WHERE id = 1), 3)", "1 2 3");
    close_db(db);
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

START_TEST(out_of_memory_at_the_beginning) {
    be_able_to_fail();
    size_t failures = 0;
    for (int at = 1;; at++) {
        sqlite3 *db;
        char *error = NULL;
        ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
        until_failure = at;
        int status = sqlite3_podium_init(db, &error, NULL);
        bool over = until_failure > 0;
        until_failure = 0;
        failures += status == SQLITE_NOMEM;
        ck_assert(status == SQLITE_OK || status == SQLITE_NOMEM);
        close_db(db);
        ck_assert_int_eq(sqlite3_memory_used(), 0);
        if (over)
            break;
    }
    ck_assert_uint_gt(failures, 30);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("sqlite");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_row_has_its_draw);
    tcase_add_test(tests, two_in_a_row_differ);
    tcase_add_test(tests, not_in_a_schema);
    tcase_add_test(tests, aggregates_in_a_schema);
    tcase_add_test(tests, values_beyond_the_range);
    tcase_add_test(tests, forks_share_no_words);
    tcase_add_test(tests, null_in_null_out);
    tcase_add_test(tests, of_nothing);
    tcase_add_test(tests, too_few);
    tcase_add_test(tests, empty_aggregate);
    tcase_add_test(tests, errors);
    tcase_add_test(tests, wrong_probabilities);
    tcase_add_test(tests, parameters_that_change);
    tcase_add_test(tests, as_the_library);
    tcase_add_test(tests, one_text);
    tcase_add_test(tests, specs_in_turn);
    tcase_add_test(tests, json);
    tcase_add_test(tests, difference_of_two_groups);
    tcase_add_test(tests, difference_intervals);
    tcase_add_loop_test(tests, json_in_other_locales, 0, LENGTH(odd_locales));
    tcase_add_test(tests, confidence);
    tcase_add_test(tests, anytime_in_windows);
    tcase_add_test(tests, quantiles_and_histogram);
    tcase_add_test(tests, rows_unknown);
    tcase_add_test(tests, rows_in_joins);
    tcase_add_test(tests, windows);
    tcase_add_test(tests, long_windows);
    tcase_add_test(tests, windows_that_empty);
    tcase_add_test(tests, filters_and_groups);
    tcase_add_test(tests, many_collections);
    tcase_add_test(tests, minimax_is_solved_once);
    tcase_add_test(tests, in_utf_16);
    tcase_add_test(tests, closed_and_reopened);
    tcase_add_test(tests, interrupted);
    tcase_add_test(tests, version);
    tcase_add_test(tests, defined_twice);
    tcase_add_test(tests, a_connection_a_thread);
    tcase_add_test(tests, out_of_memory);
    tcase_add_test(tests, out_of_memory_for_rows);
    tcase_add_test(tests, out_of_memory_at_the_beginning);
    return run_tests("sqlite", tests);
}
