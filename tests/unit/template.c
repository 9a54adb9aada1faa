/* Templates: filling in, escaping, and the errors that the check finds in a template or its fillers. */
#include <check.h>
#include <stdarg.h>

#include "commands/paper/template.h"
#include "support.h"

/* ---- What template.c needs from the rest of the program: an output in memory ---- */

struct output {
    char text[1024];
    size_t n;
};

void output_write(output *out, const void *bytes, size_t n) {
    ck_assert_uint_lt(out->n + n, sizeof out->text);
    memcpy(out->text + out->n, bytes, n);
    out->n += n;
}

void output_print(output *out, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    output_write(out, text, (size_t)vsnprintf(text, sizeof text, format, arguments));
    va_end(arguments);
}

void *allocate(size_t n) {
    return malloc(n);
}

/* ---- Fillers: a title, and people with their pets; the item is the title or the name ---- */

static void fill_item(template_part *to, const void *item) {
    template_text(to, item);
}

static void fill_length(template_part *to, const void *item) {
    template_print(to, "%zu%s", strlen(item), "&");
}

static void fill_people(template_part *part, const void *item) {
    (void)item;
    template_item(part, "Ann");
    template_item(part, "Bo");
}

static void fill_pets(template_part *part, const void *item) {
    if (strcmp(item, "Ann") == 0)
        template_item(part, "cat");
}

static const filler pet[] = {{"name", fill_item, NULL}, {NULL, NULL, NULL}};
static const filler person[] = {{"name", fill_item, NULL}, {"pet", fill_pets, pet}, {NULL, NULL, NULL}};
static const filler title[] = {{"title", fill_item, NULL}, {"length", fill_length, NULL}, {NULL, NULL, NULL}};
static const filler people[] = {{"title", fill_item, NULL}, {"person", fill_people, person}, {NULL, NULL, NULL}};

/* ---- Tests ---- */

static void expect_text(const char *text, template_format format, const filler *fillers, const char *expected) {
    char message[TEMPLATE_MESSAGE];
    output out = {"", 0};
    ck_assert_msg(template_check(text, fillers, message), "%s", message);
    template_write(&out, format, text, fillers, "<a href='x'>\"&");
    ck_assert_str_eq(out.text, expected);
}

START_TEST(texts) {
    expect_text("{{title}}|{{length}}|{{title}}", TEMPLATE_PLAIN, title, "<a href='x'>\"&|14&|<a href='x'>\"&");
    expect_text("<i t=\"{{title}}\">{{length}}", TEMPLATE_HTML, title,
                "<i t=\"&#60;a href=&#39;x&#39;&#62;&#34;&#38;\">14&#38;");
}
END_TEST

START_TEST(parts) {
    expect_text("{{title}}: <!-- begin person -->{{name}}<!-- begin pet --> has a {{name}}<!-- end pet -->.\n"
                "<!-- end person -->\nEnd\n",
                TEMPLATE_PLAIN, people, "<a href='x'>\"&: Ann has a cat.\nBo.\nEnd\n");
}
END_TEST

START_TEST(comments) {
    expect_text("<!-- {{nobody}}\nfills this -->\n{{title}} <!----> {{length}} } }} {a{", TEMPLATE_PLAIN, title,
                "<a href='x'>\"&  14& } }} {a{");
}
END_TEST

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "nothing uses the filler \"title\""},
    {"{{title}}", "nothing uses the filler \"person\""},
    {"{{title}} <!-- {{name}} --> <!-- begin person -->{{name}}<!-- end person -->", "nothing uses the filler \"pet\""},
    {"<!-- begin person -->{{name}}<!-- begin pet -->{{name}}<!-- end pet --><!-- end person -->",
     "nothing uses the filler \"title\""},
    {"{{title}}{{titles}}", "{{titles}} is unknown here"},
    {"{{title}}{{titl}}", "{{titl}} is unknown here"},
    {"{{title}}{{}}", "{{}} is unknown here"},
    {"{{ title }}", "{{ title }} is unknown here"},
    {"{{title}}{{title", "{{title is not closed"},
    {"{{title}}<!-- and so on", "<!-- and so on is not closed"},
    {"<!-- begin person -->{{name}}<!-- end person", "<!-- begin person --> begins a part that does not end"},
    {"{{title}}{{person}}", "{{person}} is unknown here"},
    {"{{name}}", "{{name}} is unknown here"},
    {"<!-- begin title --><!-- end title -->", "<!-- begin title --> is unknown here"},
    {"<!-- begin person -->{{title}}<!-- end person -->", "{{title}} is unknown here"},
    {"<!-- begin pet -->{{name}}<!-- end pet -->", "<!-- begin pet --> is unknown here"},
    {"<!-- begin person -->\n{{name}}", "<!-- begin person --> begins a part that does not end"},
    {"<!-- begin person -->{{name}}<!-- end pet -->", "<!-- begin person --> begins a part that does not end"},
    {"<!-- begin person -->{{name}}<!-- begin pet -->{{name}}<!-- end person -->",
     "<!-- begin person --> begins a part that does not end"},
    {"{{title}}<!-- end person -->\n", "<!-- end person --> ends a part that has not begun"},
};

START_TEST(mistakes) {
    char message[TEMPLATE_MESSAGE] = "";
    ck_assert(!template_check(wrong[_i].text, people, message));
    ck_assert_str_eq(message, wrong[_i].message);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("template");
    tcase_add_test(tests, texts);
    tcase_add_test(tests, parts);
    tcase_add_test(tests, comments);
    tcase_add_loop_test(tests, mistakes, 0, (int)LENGTH(wrong));
    return run_tests("template", tests);
}
