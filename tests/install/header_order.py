#!/usr/bin/env python3
"""The law of the public headers, which podium.h states in its first comment.

    header_order.py HEADER...

Every function has its arguments in one order: what it only consults (a collection, a channel, a random source, or the
struct that the function is named after), then outputs, then inputs; a callback and its context come last. A buffer of
bytes is followed by its capacity, and an input array by its length, unless the next array shares it. A length may be
a size_t, or a uint32_t with the name of a length. Functions are called podium_<noun>_<verb>, with a noun that is listed
here; whatever can fail must be looked at; and enumerators have the prefix of their enum and a number that nobody can
change by accident. First some wrong declarations are shown to the same rules, each of which must be found.
"""
import pathlib
import re
import sys

CONSULTED = {"podium_collection", "podium_channel", "podium_random"}
NOUNS = {"status", "mechanism", "spec", "collection", "random", "code", "codes", "number", "aggregate", "aggregates",
         "channel", "interval", "bounds", "distribution", "band", "known", "summary", "difference", "differences",
         "shape", "plan", "shuffle", "promise", "strength", "firmware"}
WITHOUT_NOUN = {"podium_version", "podium_privatize", "podium_privatize_from", "podium_privatize_cells",
                "podium_choose", "podium_lower_bound"}
STRINGS = {("podium_collection_format", "name"), ("podium_firmware_format", "name")}  # end in a 0
BYTES = {"char", "unsigned char"}
LENGTHS = {"n", "count", "length", "capacity"}  # what a number is called if it is a length
BOUNDS = {"lower", "upper"}  # arrays, although their names are no plurals
PREFIXES = {"podium_status": ("PODIUM_OK", "PODIUM_ERROR_")}


class Argument:
    """One argument: its name, the type that it has or points to, and its place in the order."""

    def __init__(self, text, noun):
        self.is_callback = "(*" in text
        declaration = re.fullmatch(r"(.*?)\s*(\w+)", text)
        kind, self.name = declaration.groups() if declaration and not self.is_callback else (text, "")
        self.stars = kind.count("*")
        self.pointee = re.sub(r"\bconst\b|\*", " ", kind).strip()
        self.pointee = re.sub(r"\s+", " ", self.pointee)
        self.is_input = not self.stars or kind.startswith("const ")
        is_read = self.stars == 1 and self.is_input
        self.is_consulted = is_read and self.pointee in CONSULTED
        self.is_noun = is_read and self.pointee == f"podium_{noun}"
        self.is_size = kind == "size_t" or (kind == "uint32_t" and self.name in LENGTHS)
        self.is_output = bool(self.stars) and not self.is_input
        self.is_buffer = self.is_output and self.stars == 1 and self.pointee in BYTES
        is_struct = self.pointee.startswith("podium_") and self.stars == 1
        self.may_have_capacity = self.is_output and self.stars == 1
        self.is_array = self.is_input and bool(self.stars) and not is_struct


def split(arguments):
    """At commas that are not within the parentheses of a callback"""
    parts, depth = [""], 0
    for letter in arguments:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def order_of(arguments):
    """What is consulted, outputs, inputs, callback. The struct of the function's own noun may also be an input."""
    stage, stages = 0, ["what is consulted", "outputs", "inputs", "a callback"]
    previous_callback = False
    for argument in arguments:
        if argument.is_callback or previous_callback:
            own = 3
        elif argument.is_output or (argument.is_size and argument.name == "capacity"):
            own = 1
        else:
            own = 0 if argument.is_consulted or (argument.is_noun and stage == 0) else 2
        if previous_callback and (argument.pointee, argument.stars) != ("void", 1):
            yield f"'{argument.name}' follows the callback, whose context should"
        if own < stage:
            yield f"'{argument.name}' belongs to {stages[own]}, and comes after {stages[stage]}"
        stage = max(stage, own)
        previous_callback = argument.is_callback
    if previous_callback:
        yield "the callback has no context"


def lengths_of(function, arguments):
    """Capacities and lengths follow their arrays."""
    waiting = None
    for previous, argument in zip([None] + arguments, arguments):
        if previous is not None and previous.is_buffer and not (argument.is_size and argument.name == "capacity"):
            yield f"the buffer '{previous.name}' has no capacity"
        if argument.is_size and argument.name == "capacity":
            if previous is None or not previous.may_have_capacity:
                yield "a capacity follows no buffer"
        elif argument.is_size:
            if waiting is None:
                yield f"the length '{argument.name}' follows no array"
            waiting = None
        elif waiting is not None and not argument.is_array:
            yield f"the array '{waiting}' has no length"
            waiting = None
        if argument.is_array and (function, argument.name) not in STRINGS:
            waiting = argument.name
    if waiting is not None:
        yield f"the array '{waiting}' has no length"
    if arguments and arguments[-1].is_buffer:
        yield f"the buffer '{arguments[-1].name}' has no capacity"
    for at, argument in enumerate(arguments):
        named_many = argument.name.endswith("s") or argument.name in BOUNDS
        is_many = argument.is_output and argument.stars == 1 and named_many
        scalar = not argument.pointee.startswith("podium_")
        if is_many and scalar and not any(a.is_size for a in arguments[at + 1:]):
            yield f"the output array '{argument.name}' has no length"


def complaints_of(declaration):
    """What is wrong with one function, PODIUM_API left out"""
    match = re.fullmatch(r"(.*?[ *])(\w+)\((.*)\)\s*(PODIUM_MUST_USE)?", declaration, re.S)
    if match is None:
        yield f"no rule can read it: {declaration}"
        return
    result, function, inside, must_use = match.groups()
    noun = function.split("_")[1] if "_" in function else ""
    arguments = [Argument(part, noun) for part in split(inside)]
    if function not in WITHOUT_NOUN and (noun not in NOUNS or function.count("_") < 2):
        yield "is not called podium_<noun>_<verb>"
    if any(not a.is_callback and not a.name for a in arguments):
        yield "an argument has no name"
    if (result.strip() == "podium_status" or function.endswith("_parse")) and not must_use:
        yield "its result may be ignored"
    yield from order_of(arguments)
    yield from lengths_of(function, arguments)


def complaints_of_enum(name, body):
    prefixes = PREFIXES.get(name, (name.upper() + "_",))
    seen = {}
    for entry in filter(None, (part.strip() for part in body.split(","))):
        enumerator, _, number = (part.strip() for part in entry.partition("="))
        if not enumerator.startswith(prefixes):
            yield f"{enumerator} does not begin with {' or '.join(prefixes)}"
        if not number.isdecimal():
            yield f"{enumerator} has no number"
        elif number in seen and not enumerator.endswith("_DEFAULT"):
            yield f"{enumerator} has the number of {seen[number]}"
        seen.setdefault(number, enumerator)


def complaints_of_header(text):
    """All that is wrong in a header, each with the name of what it is about; and how many functions there are"""
    code = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    found, count = [], 0
    for name in re.findall(r"^\s*#\s*define\s+(\w+)", code, re.M):
        if not name.startswith("PODIUM_"):
            found.append(f"{name}: a macro that does not begin with PODIUM_")
    code = re.sub(r"^\s*#.*(?:\\\n.*)*$", "", code, flags=re.M)
    for name, body in re.findall(r"typedef enum (\w*)\s*\{(.*?)\}", code, re.S):
        found += [f"{name}: {complaint}" for complaint in complaints_of_enum(name, body)]
    for name in re.findall(r"^\}\s*(\w+);", code, re.M) + re.findall(r"typedef struct (\w+) \w+;", code):
        if not name.startswith("podium_"):
            found.append(f"{name}: a type that does not begin with podium_")
    code = re.sub(r"typedef (?:enum|struct) \w*\s*\{.*?^\}[^;]*;", "", code, flags=re.S | re.M)
    for declaration in re.findall(r"(?:PODIUM_API\s+)?[\w][^;{}]*;", code):
        flat = re.sub(r"\s+", " ", declaration).rstrip("; ")
        if "(" not in flat or flat.startswith("typedef"):
            continue
        name = re.search(r"(\w+)\(", flat).group(1)
        if not flat.startswith("PODIUM_API "):
            found.append(f"{name}: is declared, but not exported")
        count += 1
        found += [f"{name}: {complaint}" for complaint in complaints_of(flat.removeprefix("PODIUM_API "))]
    return found, count


def self_test():
    """Declarations that are wrong, and what must be said of them"""
    wrong = {
        "void podium_aggregate_init(podium_aggregate *aggregate, const podium_collection *collection)":
            "'collection' belongs to what is consulted, and comes after outputs",
        "podium_status podium_privatize(const podium_collection *c, const double *values, double *reports, size_t n)"
        " PODIUM_MUST_USE": "'reports' belongs to outputs, and comes after inputs",
        "podium_status podium_privatize_from(const podium_collection *c, double *reports, const podium_random *random,"
        " const double *values, size_t n)": "'random' belongs to what is consulted, and comes after outputs",
        "size_t podium_spec_format(char *text, size_t capacity, double x, unsigned char *more, size_t capacity)":
            "'more' belongs to outputs, and comes after inputs",
        "size_t podium_number_format(char *text, double x)": "the buffer 'text' has no capacity",
        "size_t podium_number_format(double x, size_t capacity)": "a capacity follows no buffer",
        "size_t podium_aggregate_format(const podium_aggregate *aggregate, char *text)":
            "the buffer 'text' has no capacity",
        "double podium_shape_mean(const podium_shape *shape, const double *values)": "the array 'values' has no length",
        "double podium_shape_mean(const podium_shape *shape, const double *values, double p, size_t n)":
            "the array 'values' has no length",
        "double podium_shape_mean(const podium_shape *shape, double p, size_t n)": "the length 'n' follows no array",
        "void podium_collection_reports(const podium_collection *c, double *reports, double x)":
            "the output array 'reports' has no length",
        "bool podium_number_parse(double *x, const char *text, size_t n)": "its result may be ignored",
        "void podium_bootstrap_make(const podium_channel *channel, const double *p, size_t count, double *lower)":
            "'lower' belongs to outputs, and comes after inputs",
        "void podium_bootstrap_make(const podium_channel *channel, double *lower, double *upper, double p)":
            "the output array 'upper' has no length",
        "double podium_shape_mean(const podium_shape *shape, uint32_t count, double p)":
            "the length 'count' follows no array",
        "double podium_shape_mean(const podium_shape *shape, const double *values, double p, uint32_t n)":
            "the length 'n' follows no array",
        "void podium_codes_decode(const podium_collection *c, uint32_t *cells, double x, size_t capacity)":
            "a capacity follows no buffer",
        "podium_status podium_choose(podium_spec *spec, const podium_spec *given)": "its result may be ignored",
        "double podium_thing_made(double x)": "is not called podium_<noun>_<verb>",
        "double podium_shape(double x)": "is not called podium_<noun>_<verb>",
        "void podium_channel_watch(void (*progress)(void *context, uint32_t done), void *context, double x)":
            "'x' belongs to inputs, and comes after a callback",
        "void podium_channel_watch(double x, void (*progress)(void *context, uint32_t done))":
            "the callback has no context",
        "void podium_channel_watch(void (*progress)(void *context, uint32_t done), double x)":
            "'x' follows the callback, whose context should",
        "double podium_shape_mean(const podium_shape *, double)": "an argument has no name",
        "const char podium_version": "no rule can read it: const char podium_version",
    }
    wrong_headers = {
        "typedef enum podium_sign {\n PODIUM_PLUS = 0\n} podium_sign;": "does not begin with PODIUM_SIGN_",
        "typedef enum podium_sign {\n PODIUM_SIGN_PLUS\n} podium_sign;": "has no number",
        "typedef enum podium_sign {\n PODIUM_SIGN_A = 1, PODIUM_SIGN_B = 1\n} podium_sign;": "has the number of",
        "#define MAXIMUM 3\n": "a macro that does not begin with PODIUM_",
        "typedef struct colour {\n int red;\n} colour;": "a type that does not begin with podium_",
        "size_t podium_code_bytes(const podium_collection *collection);": "is declared, but not exported",
    }
    failed = []
    for declaration, expected in wrong.items():
        said = list(complaints_of(declaration))
        if expected not in said:
            failed.append(f"{declaration}\n  should be '{expected}', but is {said}")
    for header, expected in wrong_headers.items():
        said, _ = complaints_of_header(header)
        if not any(expected in complaint for complaint in said):
            failed.append(f"{header}\n  should be '{expected}', but is {said}")
    return failed, len(wrong) + len(wrong_headers)


def main():
    failed, mistakes = self_test()
    functions = 0
    for path in sys.argv[1:]:
        text = pathlib.Path(path).read_text()
        found, count = complaints_of_header(text)
        declared = len(re.findall(r"^PODIUM_API ", text, re.M))
        if count != declared:
            failed.append(f"{path}: {declared} functions are declared, and {count} were looked at")
        failed += [f"{path}: {complaint}" for complaint in found]
        functions += count
    if not functions:
        failed.append("no function was looked at")
    print("\n".join(failed) or f"header_order: {functions} functions keep the law; {mistakes} mistakes were found")
    return 1 if failed else 0


sys.exit(main())
