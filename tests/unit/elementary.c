/* The elementary functions compared with MPFR, over all numbers that the library calls them with and more. */
#include <check.h>
#include <math.h>
#include <mpfr.h>

#include "support.h"
#include "collection/elementary.h"

#define PRECISION 200

typedef struct {
    const char *name;
    double (*ours)(double x);
    int (*theirs)(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding);
    double least, most; /* of |x| */
    bool negative;      /* whether x may be negative */
    double bound;       /* of the error, in units of the last place: what was measured, rounded up */
} function;

static const function functions[] = {
    {"exp", podium_exp, mpfr_exp, 1e-9, 708, true, 0.501},
    {"expm1", podium_expm1, mpfr_expm1, 1e-9, 709, true, 0.501},
    {"sinh", podium_sinh, mpfr_sinh, 1e-20, 700, true, 0.501},
    {"cosh", podium_cosh, mpfr_cosh, 1e-9, 700, true, 0.501},
    {"log", podium_log, mpfr_log, 0x1p-1074, 1e308, false, 0.53},
    {"log near 1", podium_log, mpfr_log, 0.4, 2.1, false, 0.53},
    {"log1p", podium_log1p, mpfr_log1p, 1e-12, 1e308, false, 0.53},
    {"log1p near 0", podium_log1p, mpfr_log1p, 1e-12, 0.999, true, 0.53},
    {"cbrt", podium_cbrt, mpfr_cbrt, 1e-307, 1e308, false, 0.501},
    {"cbrt near 1", podium_cbrt, mpfr_cbrt, 0.1, 9, false, 0.501},
};

/* |y - truth| in units of the last place of the double that is nearest to the truth */
static double ulps(double y, const mpfr_t truth) {
    mpfr_t error;
    double nearest = fabs(mpfr_get_d(truth, MPFR_RNDN)), ulp = nextafter(nearest, INFINITY) - nearest;
    mpfr_init2(error, PRECISION);
    mpfr_sub_d(error, truth, y, MPFR_RNDN);
    double size = fabs(mpfr_get_d(error, MPFR_RNDN)) / ulp;
    mpfr_clear(error);
    return size;
}

/* Uniform in the logarithm, so that every size is tried */
static double argument(const function *f, uint64_t *seed) {
    double x = f->least * exp2(seeded_uniform(seed) * (log2(f->most) - log2(f->least)));
    x = x < f->least ? f->least : x > f->most ? f->most : x;
    return f->negative && seeded_word(seed) % 2 == 0 ? -x : x;
}

START_TEST(errors_in_the_last_place) {
    const function *f = &functions[_i];
    uint64_t seed = 15 + (uint64_t)_i;
    double worst = 0, at = 0;
    mpfr_t x, truth;
    mpfr_inits2(PRECISION, x, truth, (mpfr_ptr)NULL);
    for (int i = 0; i < 100000 / TEST_STRIDE; i++) {
        const double from = argument(f, &seed);
        mpfr_set_d(x, from, MPFR_RNDN);
        f->theirs(truth, x, MPFR_RNDN);
        const double error = ulps(f->ours(from), truth);
        at = error > worst ? from : at;
        worst = error > worst ? error : worst;
    }
    printf("%s: at most %.4f units in the last place, at %.17g\n", f->name, worst, at);
    ck_assert_double_le(worst, f->bound);
    mpfr_clears(x, truth, (mpfr_ptr)NULL);
}
END_TEST

START_TEST(ends_of_the_range) {
    ck_assert(podium_exp(0) == 1 && podium_exp(-INFINITY) == 0 && podium_exp(INFINITY) == INFINITY);
    ck_assert(podium_exp(-746) == 0 && podium_exp(-745) == 0x1p-1074 && podium_exp(710) == INFINITY);
    ck_assert(podium_expm1(0) == 0 && podium_expm1(-INFINITY) == -1 && podium_expm1(INFINITY) == INFINITY);
    ck_assert(podium_sinh(0) == 0 && podium_cosh(0) == 1 && podium_sinh(-1) == -podium_sinh(1));
    ck_assert(podium_log(0) == -INFINITY && podium_log(INFINITY) == INFINITY && podium_log(1) == 0);
    ck_assert(isnan(podium_log(-1)) && isnan(podium_log1p(-2)) && podium_log1p(-1) == -INFINITY);
    ck_assert(podium_log1p(0) == 0 && podium_log1p(INFINITY) == INFINITY);
    for (int i = -300; i <= 300; i++)
        ck_assert(podium_cbrt(ldexp(27, 3 * i)) == ldexp(3, i));
    double (*const all[])(double) = {podium_exp, podium_expm1, podium_sinh, podium_cosh, podium_log, podium_log1p};
    for (size_t i = 0; i < LENGTH(all); i++)
        ck_assert(isnan(all[i](NAN)));
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("elementary");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, errors_in_the_last_place, 0, (int)LENGTH(functions));
    tcase_add_test(tests, ends_of_the_range);
    return run_tests("elementary", tests);
}
