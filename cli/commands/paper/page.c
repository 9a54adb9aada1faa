/* The page: one file that needs no other, with the figures in it. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static output *page;

/* ---- Pieces of HTML ---- */

static void put(const char *text) {
    output_write(page, text, strlen(text));
}

/* Words that are not ours to write as HTML */
static void put_text(const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            output_print(page, "&#%d;", *text);
        else
            output_write(page, text, 1);
    }
}

static void heading(const char *id, const char *text) {
    output_print(page, "<h2 id='%s'>%s</h2>\n", id, text);
}

/* The whole of a file; the caller frees it */
static char *contents(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    char *text = allocate(room);
    *n = 0;
    if (file == NULL)
        fail(BAD_IO, "%s: cannot be read again", path);
    for (size_t got; (got = fread(text + *n, 1, room - *n - 1, file)) > 0;) {
        *n += got;
        if (*n + 1 == room && (text = realloc(text, room *= 2)) == NULL)
            fail(BAD_IO, "out of memory");
    }
    text[*n] = '\0';
    if (ferror(file))
        fail(BAD_IO, "%s: cannot be read again", path);
    fclose(file);
    return text;
}

static void put_base64(const unsigned char *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned long three = (unsigned long)bytes[i] << 16;
        three |= i + 1 < n ? (unsigned long)bytes[i + 1] << 8 : 0;
        three |= i + 2 < n ? (unsigned long)bytes[i + 2] : 0;
        char four[] = {digits[three >> 18], digits[three >> 12 & 63], i + 1 < n ? digits[three >> 6 & 63] : '=',
                       i + 2 < n ? digits[three & 63] : '='};
        output_write(page, four, 4);
    }
}

/* A figure as an image in the page itself: a picture of its own, so that two cannot mix up their names. The many points
   of the last one are smaller as a PNG. */
static void put_figure(const char *directory, int number, const char *caption) {
    const figure *f = &figures[number - 1];
    bool dots = number == FIGURES;
    size_t n;
    char *bytes = contents(in_directory(directory, f->name, dots ? ".png" : ".svg"), &n);
    output_print(page, "<figure id='%s'><img alt='Figure %d: %s' width='%d' height='%d' src='data:image/%s;base64,",
                 f->name, number, f->title, f->width, f->height, dots ? "png" : "svg+xml");
    put_base64((const unsigned char *)bytes, n);
    output_print(
        page,
        "'><figcaption><b>Figure %d.</b> %s <span class='files'><a href='%s.svg'>SVG</a> <a href='%s.png'>PNG</a> "
        "<a href='%s.csv'>data</a></span></figcaption></figure>\n",
        number, caption, f->name, f->name, f->name);
    free(bytes);
}

/* A CSV file as a table: numbers to so many significant digits. The first row is the head. */
static void put_csv(const char *directory, const char *name, const char *const *heads) {
    size_t n;
    char *text = contents(in_directory(directory, name, ".csv"), &n), *line, *rest = text;
    put("<div class='wide'><table><thead><tr>");
    for (; *heads != NULL; heads++)
        output_print(page, "<th>%s</th>", *heads);
    put("</tr></thead><tbody>\n");
    strsep(&rest, "\n");
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        put("<tr>");
        for (char *field; (field = strsep(&line, ",")) != NULL;) {
            char *end;
            double x = strtod(field, &end);
            if (*end == '\0' && end != field)
                output_print(page, "<td>%.*g</td>", fabs(x) >= 1e6 ? 4 : 6, x);
            else
                output_print(page, "<td>%s</td>", field);
        }
        put("</tr>\n");
    }
    output_print(page, "</tbody></table></div><p class='files'><a href='%s.csv'>data</a></p>\n", name);
    free(text);
}

/* ---- Sections ---- */

static const char head[] =
    "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n"
    "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
    "<meta name='color-scheme' content='light dark'>\n<link rel='icon' href='data:,'>\n"
    "<title>The Podium mechanism, reproduced and checked</title>\n<style>\n"
    ":root { --ink: #1c1e21; --soft: #5c6370; --paper: #fdfdfb; --line: #d9dce1; --wrong: #b3261e; --mark: #fde9e7; "
    "--link: "
    "#0060a0 }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --soft: #a0a7b4; --paper: #15171b; --line: #383d46; "
    "--wrong: #ff9a91; --mark: #4a2523; --link: #7cc4ff } figure img { filter: invert(0.93) hue-rotate(180deg) } }\n"
    "* { box-sizing: border-box }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.55 Georgia, 'Times New Roman', serif "
    "}\n"
    "main { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1.1rem 4rem }\n"
    "h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0 .4rem } h2 { font-size: 1.35rem; margin: 2.6rem 0 .5rem "
    "}\n"
    "h3 { font-size: 1.08rem; margin: 1.6rem 0 .3rem } a { color: var(--link) } .lead, figcaption, .files, summary { "
    "color: "
    "var(--soft) }\n"
    "figure { margin: 1.4rem 0 } figure img { display: block; width: 100%; height: auto; border-radius: 6px }\n"
    "figcaption, .files, summary, table, nav { font: 14px/1.45 system-ui, sans-serif } figcaption { margin-top: .5rem "
    "}\n"
    ".files a { margin-right: .5em } .wide { overflow-x: auto; margin: .8rem 0 }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }\n"
    "th, td { padding: .22rem .7rem .22rem 0; text-align: right; border-bottom: 1px solid var(--line) } "
    "th:first-child, "
    "td:first-child { text-align: left }\n"
    "th { font-weight: 600; white-space: normal; vertical-align: bottom } s { opacity: .75 } td small { color: "
    "var(--soft) } td.wrong { background: var(--mark); color: var(--wrong); "
    "font-weight: 600 }\n"
    "summary { cursor: pointer; padding: .4rem 0 } dt { font-weight: 600; margin-top: 1rem } dd { margin: .2rem 0 0 }\n"
    "nav a { display: inline-block; margin-right: .9em } em { color: var(--soft) } .key { background: var(--mark); "
    "color: "
    "var(--wrong); padding: 0 .3em }\n"
    "</style></head>\n<body><main>\n";

static void put_opening(void) {
    erratum list[ERRATA_MAX];
    put(head);
    put("<h1>The Podium mechanism, reproduced and checked</h1>\n<p class='lead'>Every table, figure and theorem of V. "
        "Pihur’s "
        "<em>The Podium Mechanism: Improving on the Laplace and Staircase Mechanisms</em>, computed anew by ");
    output_print(page, "Podium %s.</p>\n", podium_version());
    put("<nav><a href='#short'>In short</a><a href='#shape'>The distribution</a><a href='#table1'>Table 1</a><a "
        "href='#variance'>Variance</a><a href='#table2'>Table 2</a><a href='#theorems'>Theorems</a><a "
        "href='#simulation'>Simulation</a><a href='#introduction'>Ages</a><a href='#errata'>Errata</a></nav>\n");
    heading("short", "In short");
    output_print(
        page,
        "<p>The paper’s idea holds. A report is drawn from a density with two levels, one e<sup>ε</sup> times the "
        "other, on a fixed finite support; the step between them moves so that the mean is the value. It is "
        "ε-private, and its variance is below that of Laplace and Staircase for every ε and every value. The "
        "numbers in the paper mostly hold too. %zu places do not, and are <a href='#errata'>listed</a> with what is "
        "so instead; the most visible one is the claim of 50–70%% less variance for small ε, which is a third in "
        "the worst case and up to a half in the middle of the range.</p>\n",
        errata(list));
}

static void put_shape(const char *directory) {
    podium_shape p = shape_for(PODIUM_MECHANISM_PODIUM, log(9), -0.5, 0.5);
    heading("shape", "The distribution");
    put("<p>Laplace and Staircase add the same noise to every value, and noise without an end. At a small ε the two "
        "are "
        "hardly different.</p>\n");
    put_figure(directory, 1,
               "Density of the noise at ε = 0.5. A small ε is <i>high</i> privacy; the paper’s caption says low.");
    put("<p>Podium’s support is finite and the same for every value, or a report outside it would tell. Within it only "
        "the "
        "step moves.</p>\n");
    put_figure(directory, 2,
               "The Podium density at ε = log 9 for four values. The range of the values is shaded: the support "
               "must reach beyond it, or no mean could be at its ends.");
    output_print(
        page, "<p>For ε = log 9 the paper gives m = 2.102601 and w = 0.7540498; computed they are %.6f and %.7f.</p>\n",
        p.m, p.w);
    put_figure(directory, 3,
               "The extreme right shape, whose mean is the upper end of the range, with the paper’s letters. The "
               "variance is the largest there, and s is chosen to make it least.");
    put("<p>The best s solves a quartic equation in e<sup>s</sup>. The paper’s formula for its root is 0/0 at ε = log "
        "√2 and "
        "loses its digits for large ε; Podium finds the root of sinh(2s − ε) + 2 sinh s by Newton’s method instead. "
        "ε/3 comes "
        "close, and costs at most 5% in variance.</p>\n");
    put_figure(directory, 4, "The step parameter s, exact and approximate.");
}

static void put_table1(void) {
    heading("table1", "Table 1: the lookup table");
    put("<p>The paper prints 20 digits. They are what double precision gives: right to 15 digits or more, and to 13 or "
        "14 "
        "where "
        "<span class='key'>marked</span>; hover for how far off a number is. No entry is wrong enough to matter.</p>\n"
        "<details><summary>All 55 rows: what is printed, and computed below it</summary><div "
        "class='wide'><table><thead><tr>"
        "<th>ε</th><th>e<sup>ε</sup></th><th>dΔ</th><th>w/Δ</th><th>m</th><th>s</th></tr></thead><tbody>\n");
    for (int row = 0; row < TABLE1_ROWS; row++) {
        output_print(page, "<tr><td>%s</td>", table1[row][0]);
        for (int column = 1; column < 6; column++) {
            cell c = table1_cell(row, column);
            output_print(page, "<td%s", c.wrong ? " class='wrong'" : "");
            if (column > 1)
                output_print(page, " title='off by %.1e%s%s'>%s<br><small>%.17g</small></td>", relative_difference(c),
                             *c.cause == '\0' ? "" : ": ", c.cause, c.printed, c.computed);
            else
                output_print(page, ">%s</td>", c.printed);
        }
        put("</tr>\n");
    }
    put("</tbody></table></div></details><p class='files'><a href='table1.csv'>data</a></p>\n");
}

static void put_variance(const char *directory) {
    heading("variance", "Variance");
    put("<p>Laplace’s and Staircase’s variance does not depend on the value. Podium’s is least in the middle and "
        "largest at the "
        "ends, where it is still below theirs. The exact and the approximate s make hardly a difference.</p>\n");
    put_figure(directory, 5, "Variance of a report against the value, in units of Δ², for the paper’s four ε.");
}

static void put_table2(void) {
    heading("table2", "Table 2: relative efficiencies");
    put("<p>Ratios of variances; PM is Podium at the end of the range, PM<sub>0</sub> in its middle, PM<sub>3</sub> "
        "with s = "
        "ε/3. <span class='key'>Marked</span>: the print is wrong, and the right number is below it.</p>\n<div "
        "class='wide'><table>"
        "<thead><tr><th>ε</th><th>PM<sub>3</sub>/PM</th><th>PM<sub>0</sub>/PM</th><th>PM/LM</th><th>SM/LM</"
        "th><th>PM<sub>0</sub>"
        "/SM</th><th>PM/SM</th></tr></thead><tbody>\n");
    for (int row = 0; row < TABLE2_ROWS; row++) {
        output_print(page, "<tr><td>%s</td>", table2[row][0]);
        for (int column = 1; column < 7; column++) {
            cell c = table2_cell(row, column);
            if (c.wrong)
                output_print(page, "<td class='wrong' title='%s'><s>%s</s><br>%.4f</td>", c.cause, c.printed,
                             c.computed);
            else
                output_print(page, "<td title='%.10f'>%s</td>", c.computed, c.printed);
        }
        put("</tr>\n");
    }
    put("</tbody></table></div><p class='files'><a href='table2.csv'>data</a></p>\n");
}

static void put_theorems(const char *directory) {
    static const char *const privacy[] = {"ε", "e<sup>−ε</sup>", "1", "e<sup>ε</sup>", "other", "least", "most", NULL};
    static const char *const high[] = {
        "ε", "ends / Laplace", "middle / Laplace", "ends / Staircase", "V ε²/Δ²", "m ε", "w/(Δm)", NULL};
    static const char *const low[] = {"ε",
                                      "ends / Staircase",
                                      "middle / Staircase",
                                      "ε/3 / exact",
                                      "middle / ends",
                                      "V e<sup>2ε/3</sup>/Δ²",
                                      "r = ends / Laplace · e<sup>2ε/3</sup>",
                                      "r/ε²",
                                      NULL};
    heading("theorems", "The theorems, in numbers");
    put("<h3>Privacy</h3><p>At any report, the densities of two values have a ratio of e<sup>−ε</sup>, 1 or "
        "e<sup>ε</sup>. "
        "Counted over 41 × 41 pairs of values and 401 reports:</p>\n");
    put_csv(directory, "privacy", privacy);
    put("<p>That is the density. A program that draws from it in floating point is not ε-private: which numbers it can "
        "return "
        "depends on the value. Podium draws integers, and its own theorem covers what is shipped.</p>\n"
        "<h3>High privacy</h3><p>As ε → 0 the ratios tend to 2/3, the variance to (4/3) Δ²/ε², m to 4/ε, and the width "
        "of the step "
        "to half of the support (the paper says all of it).</p>\n");
    put_csv(directory, "high-privacy", high);
    put("<h3>Low privacy</h3><p>As ε → ∞ the variance falls as e<sup>−2ε/3</sup>, like Staircase’s; their ratio tends "
        "to "
        "2<sup>−2/3</sup> ≈ 0.630 at the ends and to half of that in the middle, not to 1. The ratio to Laplace’s "
        "falls as ε² "
        "e<sup>−2ε/3</sup>: the last column settles, the one before does not.</p>\n");
    put_csv(directory, "low-privacy", low);
}

static void put_simulation(const char *directory) {
    static const char *const heads[] = {"mechanism", "ε", "variance, this draw", "mean of 400 draws", "their deviation",
                                        "expected",  NULL};
    heading("simulation", "The simulation, with its sampling error");
    put("<p>Section 7 of the paper draws 10,000 values from Beta(2, 2), less a half, privatises them with three "
        "mechanisms, and "
        "prints the variance of the reports. Here it is again, seeded, so that everybody sees the same points.</p>\n");
    put_figure(directory, 6, "Values across, reports up; above with ε = 1, below with ε = 5.");
    put("<p>One draw is one draw. Over 400 of them the variance of the reports varies by as much as this table shows; "
        "it agrees "
        "with what the formulas expect, 1/20 for the values and the rest for the noise. Differences between the "
        "mechanisms are "
        "many times that at ε = 1. At ε = 5 nearly all that is left is the variance of the values themselves.</p>\n");
    put_csv(directory, "simulation", heads);
}

static void put_introduction(const char *directory) {
    static const char *const ages[] = {"ε",         "age",    "Laplace below 0", "above 120",    "Podium below 0",
                                       "above 120", "lowest", "highest",         "clamped mean", "bias",
                                       NULL};
    static const char *const cuts[] = {"ε", "cut at, in Δ", "share that tells for certain", NULL};
    podium_shape l = shape_for(PODIUM_MECHANISM_LAPLACE, 1, 1, 120), p = shape_for(PODIUM_MECHANISM_PODIUM, 1, 1, 120);
    heading("introduction", "Ages from 1 to 120");
    output_print(page,
                 "<p>The introduction’s example. With Laplace at ε = 1, a person of 30 is reported below 0 in %.0f%% "
                 "of all cases "
                 "and above 120 in %.0f%%, without a limit. Podium’s reports leave the range as well, and must: %.0f%% "
                 "are below 0 "
                 "and %.0f%% above 120. But they stay between %.0f and %.0f.</p>\n",
                 100 * podium_shape_cdf(&l, 30, 0), 100 * (1 - podium_shape_cdf(&l, 30, 120)),
                 100 * podium_shape_cdf(&p, 30, 0), 100 * (1 - podium_shape_cdf(&p, 30, 120)),
                 podium_shape_quantile(&p, 30, 0), podium_shape_quantile(&p, 30, 1));
    output_print(page,
                 "<p>Two ways out suggest themselves, and neither works. To clamp the <i>reports</i> to the range is "
                 "private, but the "
                 "mean is wrong: if everybody is 120, clamped Laplace reports average %.1f at ε = 1, however many "
                 "there are; the last "
                 "two columns have the bias.</p>\n",
                 laplace_clamped_mean(1, 120));
    put_csv(directory, "ages", ages);
    put("<p>To cut off the <i>noise</i> keeps the mean and loses privacy: some reports can then come from one end of "
        "the range "
        "and not from the other. The table has their share. It can be made small, but never 0, and each such report "
        "gives its "
        "sender away.</p>\n");
    put_csv(directory, "truncated-noise", cuts);
    put("<p>Podium does neither: its support is the same for every value, and its mean is the value.</p>\n");
}

static void put_errata(void) {
    erratum list[ERRATA_MAX];
    size_t n = errata(list);
    heading("errata", "Errata");
    put("<p>None of these touches the theorem. In italics what the paper says; then what is so (as <a "
        "href='errata.md'>Markdown</a>).</p>\n<dl>\n");
    for (size_t i = 0; i < n; i++) {
        put("<dt>");
        put_text(list[i].where);
        put("</dt><dd>");
        put("<em>");
        put_text(list[i].says);
        put("</em> ");
        put_text(list[i].is);
        put("</dd>\n");
    }
    put("</dl>\n");
}

void write_page(const char *directory) {
    page = output_open(in_directory(directory, "index", ".html"));
    put_opening();
    put_shape(directory);
    put_table1();
    put_variance(directory);
    put_table2();
    put_theorems(directory);
    put_simulation(directory);
    put_introduction(directory);
    put_errata();
    put("</main></body></html>\n");
    output_close(page);
}
