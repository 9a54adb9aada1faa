#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Dates ---- */

/* Reads n digits. Returns -1 if they are not digits. */
static int digits(const char *text, int n) {
    int number = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + text[i] - '0';
    }
    return number;
}

static int month_length(int year, int month) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return lengths[month - 1] + (leap && month == 2);
}

/* Days since 1970 of the Gregorian calendar. A year begins in March here, so that the leap day is its last one. */
static double days_since_1970(int year, int month, int day) {
    enum { MONTHS_BEFORE = 2, DAYS_OF_FIVE_MONTHS = 153, DAYS_TO_1970 = 719468 };
    const int y = month <= MONTHS_BEFORE ? year - 1 : year, m = (month + 9) % 12;
    return 365.0 * y + floor(y / 4.0) - floor(y / 100.0) + floor(y / 400.0) +
           floor((DAYS_OF_FIVE_MONTHS * m + 2) / 5.0) + day - 1 - DAYS_TO_1970;
}

/* A month counts as its first day. */
static bool read_date(double *days, const char *text) {
    const size_t n = strlen(text);
    if ((n != strlen("2026-11-16") && n != strlen("2026-11")) || text[4] != '-')
        return false;
    const int year = digits(text, 4), month = digits(text + 5, 2);
    if (year < 0 || month < 1 || month > 12)
        return false;
    const int day = n == strlen("2026-11") ? 1 : text[7] == '-' ? digits(text + 8, 2) : 0;
    if (day < 1 || day > month_length(year, month))
        return false;
    *days = days_since_1970(year, month, day);
    return true;
}

static int by_day(const void *a, const void *b) {
    const double x = ((const point *)a)->day, y = ((const point *)b)->day;
    return (x > y) - (x < y);
}

void points_order(points *all) {
    all->dates = all->count > 1;
    for (size_t i = 0; i < all->count && all->dates; i++)
        all->dates = read_date(&all->point[i].day, all->point[i].name);
    if (all->dates)
        qsort(all->point, all->count, sizeof *all->point, by_day);
}

bool points_span(const points *all, double *least, double *greatest) {
    bool any = false;
    for (size_t i = 0; i < all->count; i++) {
        const point *p = &all->point[i];
        if (!p->known)
            continue;
        *least = any ? fmin(*least, p->lower) : p->lower;
        *greatest = any ? fmax(*greatest, p->upper) : p->upper;
        any = true;
    }
    return any;
}
