#include "json.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

static bool wrong(json *j) {
    j->at = j->n + 1;
    return false;
}

bool json_is_wrong(const json *j) {
    return j->at > j->n;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns the next byte that is not blank, without moving past it, or 0 at the end. (A 0 byte is nowhere allowed.) */
static char peek(json *j) {
    while (j->at < j->n && is_blank(j->text[j->at]))
        j->at++;
    return j->at < j->n ? j->text[j->at] : '\0';
}

bool json_ended(json *j) {
    return peek(j) == '\0' && j->at == j->n;
}

static bool expect(json *j, char c) {
    if (peek(j) != c)
        return wrong(j);
    j->at++;
    return true;
}

/* ---- Single values ---- */

static json_value value_of(json *j, json_kind kind, size_t from) {
    return (json_value){kind, j->text + from, j->at - from};
}

static json_value not_json(json *j) {
    wrong(j);
    return (json_value){JSON_WRONG, NULL, 0};
}

static int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Checks the escape of which the backslash was read, and moves past it. */
static bool skip_escape(json *j) {
    const char c = j->at < j->n ? j->text[j->at] : '\0';
    if (c == '\0' || strchr("\"\\/bfnrtu", c) == NULL)
        return false;
    j->at++;
    for (int i = 0; c == 'u' && i < 4; i++, j->at++)
        if (j->at >= j->n || hex_digit(j->text[j->at]) < 0)
            return false;
    return true;
}

static json_value read_string(json *j) {
    const size_t from = ++j->at;
    while (j->at < j->n) {
        const char c = j->text[j->at++];
        if (c == '"') {
            json_value string = value_of(j, JSON_STRING, from);
            string.n--;
            return string;
        }
        if ((unsigned char)c < ' ' || (c == '\\' && !skip_escape(j)))
            break;
    }
    return not_json(j);
}

static size_t skip_digits(json *j) {
    const size_t from = j->at;
    while (j->at < j->n && is_digit(j->text[j->at]))
        j->at++;
    return j->at - from;
}

static bool skip_one_of(json *j, const char *characters) {
    const bool found = j->at < j->n && j->text[j->at] != '\0' && strchr(characters, j->text[j->at]) != NULL;
    j->at += found ? 1 : 0;
    return found;
}

static json_value read_number(json *j) {
    const size_t from = j->at;
    skip_one_of(j, "-");
    const bool zero = j->at < j->n && j->text[j->at] == '0';
    const size_t whole = skip_digits(j);
    if (whole == 0 || (zero && whole > 1) || (skip_one_of(j, ".") && skip_digits(j) == 0))
        return not_json(j);
    if (skip_one_of(j, "eE")) {
        skip_one_of(j, "+-");
        if (skip_digits(j) == 0)
            return not_json(j);
    }
    return value_of(j, JSON_NUMBER, from);
}

static json_value read_word(json *j) {
    static const struct {
        const char *word;
        json_kind kind;
    } words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i].word);
        if (j->n - j->at < n || memcmp(j->text + j->at, words[i].word, n) != 0)
            continue;
        j->at += n;
        return value_of(j, words[i].kind, j->at - n);
    }
    return not_json(j);
}

json_value json_read(json *j) {
    const char c = peek(j);
    if (c == '{' || c == '[') {
        j->at++;
        return value_of(j, c == '{' ? JSON_OBJECT : JSON_ARRAY, j->at - 1);
    }
    if (c == '"')
        return read_string(j);
    if (c == '-' || is_digit(c))
        return read_number(j);
    return json_is_wrong(j) ? not_json(j) : read_word(j);
}

/* ---- Arrays and objects ---- */

static bool next(json *j, bool first, char end) {
    if (json_is_wrong(j))
        return false;
    if (peek(j) == end) {
        j->at++;
        return false;
    }
    return first || expect(j, ',');
}

bool json_next_item(json *j, bool first) {
    return next(j, first, ']');
}

bool json_next_member(json *j, bool first, json_value *name) {
    if (!next(j, first, '}'))
        return false;
    if (peek(j) != '"')
        return wrong(j);
    *name = read_string(j);
    return name->kind == JSON_STRING && expect(j, ':');
}

static bool skip_within(json *j, json_value value, int depth) {
    json_value name;
    if (value.kind == JSON_WRONG || depth == DEPTH_MAX)
        return wrong(j);
    for (bool first = true; value.kind == JSON_ARRAY && json_next_item(j, first); first = false)
        if (!skip_within(j, json_read(j), depth + 1))
            return false;
    for (bool first = true; value.kind == JSON_OBJECT && json_next_member(j, first, &name); first = false)
        if (!skip_within(j, json_read(j), depth + 1))
            return false;
    return !json_is_wrong(j);
}

bool json_skip(json *j, json_value value) {
    return skip_within(j, value, 0);
}

/* ---- Strings without escapes ---- */

static uint32_t four_digits(const char *s) {
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x = 16 * x + (uint32_t)hex_digit(s[i]);
    return x;
}

/* Returns the character of the \u escape at s, of which n bytes are left, and how long the escape is. 0 if it is not
   one. */
static uint32_t escaped_character(const char *s, size_t n, size_t *length) {
    const uint32_t high = four_digits(s + 2);
    *length = 6;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || n < 12 || s[6] != '\\' || s[7] != 'u')
        return 0;
    const uint32_t low = four_digits(s + 8);
    *length = 12;
    return low < 0xdc00 || low > 0xdfff ? 0 : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static size_t put_utf8(char to[4], uint32_t c) {
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(marks[n == 1 ? 0 : n] | c);
    return n;
}

/* Writes the character at s, and returns how many bytes of s that took; 0 if it cannot be written. */
static size_t unescape_one(char to[4], size_t *written, const char *s, size_t n) {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    *written = 1;
    to[0] = s[0];
    if (s[0] != '\\')
        return s[0] == '\0' ? 0 : 1;
    if (s[1] != 'u') {
        to[0] = into[strchr(from, s[1]) - from];
        return 2;
    }
    size_t length;
    const uint32_t c = escaped_character(s, n, &length);
    *written = put_utf8(to, c);
    return c == 0 ? 0 : length;
}

bool json_unescape(char *to, size_t capacity, json_value string) {
    size_t written = 0;
    for (size_t at = 0, n = 0; at < string.n; written += n) {
        char one[4];
        const size_t length = unescape_one(one, &n, string.bytes + at, string.n - at);
        if (length == 0 || written + n >= capacity)
            return false;
        memcpy(to + written, one, n);
        at += length;
    }
    if (capacity == 0)
        return false;
    to[written] = '\0';
    return true;
}
