#!/usr/bin/env python3
"""Writes the library as one C file and its headers, for projects that would rather add files than link a library.

    amalgamate.py [--source DIR] OUTPUT-DIR

OUTPUT-DIR/podium.c and podium.h are the device's half. OUTPUT-DIR/full/ has podium.c with the whole library, and all
headers. (Firmware needs four small files as they are, and no other; docs/devices.md says which.) The headers are those of
include/, byte for byte.

Files that were compiled one by one meet in one translation unit here, so this script changes five things, and nothing
else:

- Functions and constants that only the library uses become static, so that no name leaves podium.c but those of the
  headers. Functions keep the distance that separate files gave them (PODIUM_PRIVATE): a compiler that inlined the
  sampler into its caller could leave copies of a value where the caller does not wipe the stack. gcc 12 and clang 14
  do not, as tests/unit/stack.c shows if it is tried, but nothing forbids it.
- A name that two files use for different things is given the file's name at its end: fill in laplace.c is fill_of_laplace.
- A macro of a .c file is undefined at its end.
- Macros that ask the system for more than C11 come first, and the rule that doubles are rounded as they are written
  (doubles.h) comes next, so that both hold for everything after them.
- Files that include headers of an operating system come last, because windows.h defines words such as small and near.
"""
import argparse
import pathlib
import re
import sys

DIRECTIVE = r"^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*"
TOKEN = re.compile(r"""
    (?P<directive>""" + DIRECTIVE + r""")
  | (?P<space>\s+|/\*.*?\*/)
  | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<sign>->|.)
""", re.M | re.S | re.X)
# What a macro's body or a condition is made of: the same without directives
INNER = re.compile(TOKEN.pattern.replace(DIRECTIVE, r"(?!)"), re.M | re.S | re.X)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, set(")]}")
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.M)


class Token:
    """A piece of a source file; `text` is what is written in the end."""

    def __init__(self, match):
        self.kind, self.text = match.lastgroup, match.group()


def fail(message):
    sys.exit(f"amalgamate.py: {message}")


class Item:
    """A declaration or definition outside of functions: what it declares, and how."""

    def __init__(self, tokens):
        self.tokens = tokens
        depth, self.outer, self.names = 0, [], {}
        for token in tokens:
            if token.text in CLOSE:
                depth -= 1
            self.outer.append((depth, token))
            if token.text in OPEN:
                depth += 1
        words = [token.text for at, token in self.outer if at == 0]
        self.is_static, self.is_typedef = "static" in words, "typedef" in words
        self.is_definition = words[-1] == "}"
        self.is_extern = words[0] == "extern"
        if words[0] == "_Static_assert":
            return
        if words[0].isupper() and words[1:2] == ["("] and words[-1] == ")":
            self.is_static = True  # a macro that makes a function, whose name is its first argument
            self.names[tokens[2].text] = "function"
            return
        self.find_enumerators_and_tags()
        self.find_declared(words)

    def find_enumerators_and_tags(self):
        inside, before = None, ""
        for (depth, token), (_, following) in zip(self.outer, self.outer[1:]):
            if token.text in ("struct", "union", "enum") and depth == 0:
                inside = token.text
            elif depth == 0 and token.kind == "name" and following.text == "{" and inside:
                self.names[token.text] = "tag"
            elif inside == "enum" and depth == 1 and token.kind == "name" and before in ("{", ","):
                self.names[token.text] = "enumerator"
            before = token.text

    def find_declared(self, words):
        """Finds the names before the first ( or [ or =, and after each comma outside of parentheses."""
        kind = "typedef" if self.is_typedef else "variable"
        if self.is_definition:  # a function: its name stands before the last parenthesis
            at = max(i for i, word in enumerate(words) if word == "(")
            self.names[words[at - 1]] = "function"
            return
        is_body = words[0] in ("struct", "union", "enum") and words[-2] == "}"
        looking = not is_body
        for i, (depth, token) in enumerate(self.outer):
            following = self.outer[i + 1][1].text if i + 1 < len(self.outer) else ""
            if depth == 0 and token.text == ",":
                looking = True
            elif looking and depth == 0 and token.kind == "name" and following in ("(", "[", "=", ",", ";"):
                if token.text == "__attribute__" or (following == "(" and self.outer[i + 2][1].text == "*"):
                    continue
                is_function = following == "(" and not self.is_typedef
                self.names[token.text] = "function" if is_function else kind
                looking = False
            elif looking and depth == 1 and token.kind == "name" and following in (")", "[") and "*" in [
                    earlier.text for _, earlier in self.outer[max(0, i - 3):i]]:
                self.names[token.text] = kind  # a pointer to a function, or an array of such pointers
                looking = False


class File:
    """A file of the library, cut into tokens and items. A header that has no guard is a template, which stands in each
    file that includes it."""

    def __init__(self, path, text, templates):
        self.path, self.is_header = path, path.endswith(".h")
        self.stem = pathlib.PurePath(path).stem
        for name, template in templates.items():
            text = text.replace(f'#include "{name}"\n', f"/* ---- src/{name} ---- */\n\n{template}")
        self.features = []
        text = self.without_features(text)
        if self.is_header:
            text = self.without_guard(text)
        self.tokens = [Token(match) for match in TOKEN.finditer(text)]
        if "".join(token.text for token in self.tokens) != text:
            fail(f"{path} cannot be cut into tokens")
        self.items = list(self.cut())
        static_macros = set(re.findall(r"^#define (\w+) [^\n]*\bstatic\b", text, re.M))
        for item in self.items:
            item.is_static = item.is_static or bool(static_macros & {token.text for token in item.tokens})
        self.names = {name: kind for item in self.items for name, kind in item.names.items()}

    def without_features(self, text):
        """Removes the macros before the first #include that ask the system for more than C11."""
        head, include, rest = text.partition("#include")
        pattern = re.compile(r"(?:#if !defined\(_\w+\)\n)?#define (_\w+)([^\n]*)\n(?:#endif\n)?")
        if not self.is_header:
            self.features = pattern.findall(head)
            head = pattern.sub("", head)
        return head + include + rest

    def without_guard(self, text):
        guard = GUARD.search(text)
        if not text.rstrip().endswith("#endif"):
            fail(f"the include guard of {self.path} does not end with it")
        return text[:guard.start()] + text[guard.end():].rstrip()[:-len("#endif")]

    def cut(self):
        """Ends an item at a semicolon, at the end of a function's body, and after a macro that makes a function."""
        closing, item = [], []
        for token in self.tokens:
            if token.kind in ("directive", "space"):
                continue
            item.append(token)
            before = item[-2].text if len(item) > 1 else ""
            if token.text in OPEN:
                is_body = token.text == "{" and before == ")" and not closing and item[0].text != "typedef"
                closing.append((OPEN[token.text], is_body))
                continue
            ended_body = False
            if token.text in CLOSE:
                expected, ended_body = closing.pop()
                if expected != token.text:
                    fail(f"{self.path}: brackets do not match")
            made = token.text == ")" and not closing and item[0].text.isupper() and item[1].text == "("
            if (token.text == ";" and not closing) or ended_body or made:
                yield Item(item)
                item = []
        if item:
            fail(f"{self.path} ends inside of a declaration")

    def includes(self):
        """Yields every #include as (name, whether it is the library's own, whether an #if decides about it)."""
        depth = 0
        for token in self.tokens:
            if token.kind != "directive":
                continue
            if re.match(r"\s*#\s*if", token.text):
                depth += 1
            elif re.match(r"\s*#\s*endif", token.text):
                depth -= 1
            found = re.match(r'\s*#\s*include\s*(["<])([^">]+)', token.text)
            if found:
                yield token, found.group(2), found.group(1) == '"', depth > 0

    def identifiers(self):
        for token in self.tokens:
            if token.kind == "name":
                yield token.text
            elif token.kind == "directive" and not re.match(r"\s*#\s*include", token.text):
                yield from (match.group() for match in INNER.finditer(token.text) if match.lastgroup == "name")

    def called(self):
        """What is called here by its name or as a pointer, and is no member. It may be a local pointer to a function."""
        words = [token for token in self.tokens if token.kind not in ("space", "directive")]
        return {word.text for before, word, after, last in zip(words, words[1:], words[2:], words[3:])
                if word.kind == "name" and before.text not in (".", "->")
                and (after.text == "(" or (after.text == ")" and last.text == "("))}

    def macros(self):
        return [found.group(1) for token in self.tokens if token.kind == "directive"
                for found in [re.match(r"\s*#\s*define\s+(\w+)", token.text)] if found]

    # ---- The changes ----

    def rename(self, names):
        """Renames what is declared here, where it is not a member of a struct."""
        members = self.member_declarations()
        before = ""
        for token in self.tokens:
            if token.kind == "name" and token.text in names and before not in (".", "->"):
                if id(token) not in members:
                    token.text = names[token.text]
            elif token.kind == "directive" and not re.match(r"\s*#\s*include", token.text):
                token.text = self.renamed_in(token.text, names)
            if token.kind not in ("space", "directive"):
                before = token.text

    @staticmethod
    def renamed_in(text, names):
        written, before = "", ""
        for match in INNER.finditer(text):
            piece = match.group()
            if match.lastgroup == "name" and piece in names and before not in (".", "->"):
                piece = names[piece]
            if match.lastgroup != "space":
                before = piece
            written += piece
        return written

    def member_declarations(self):
        """The names of members in the bodies of structs and unions, also of those inside of functions. What follows
        a type's name is another name or a star; what follows a member's name is one of the signs below."""
        found, stack, is_struct, before = set(), [], False, None
        for token in self.tokens:
            if token.kind in ("space", "directive"):
                continue
            if before is not None and token.text in (";", ",", "[", ")", ":") and stack and stack[-1]:
                found.add(id(before))
            if token.text in ("struct", "union"):
                is_struct = True
            elif token.text == "{":
                stack.append(is_struct)
                is_struct = False
            elif token.text == "}":
                stack.pop()
            elif token.kind != "name":
                is_struct = False
            before = token if token.kind == "name" else None
        return found

    def make_private(self, public):
        for item in self.items:
            kinds = set(item.names.values())
            first = item.tokens[0]
            if self.is_header and item.is_static:
                first.text = "PODIUM_UNUSED " + first.text
            elif item.is_static or item.is_typedef or not kinds & {"function", "variable"}:
                continue
            elif set(item.names) & public:
                if not set(item.names) <= public:
                    fail(f"{self.path} declares {sorted(item.names)}, of which only some are public")
            elif item.is_extern:
                first.text = "static"
            elif kinds == {"function"}:
                first.text = "PODIUM_PRIVATE " + first.text
            else:
                first.text = "static " + first.text

    def text(self, included):
        """The file as it is now, without what is included before it"""
        dropped = {id(token) for token, name, own, conditional in self.includes()
                   if own or not conditional or name in included}
        lines = "".join("" if id(token) in dropped else token.text for token in self.tokens)
        lines = re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
        undefined = "" if self.is_header else "".join(f"\n#undef {name}" for name in dict.fromkeys(self.macros()))
        return f"/* ---- {self.path} ---- */\n\n{lines}\n" + (undefined + "\n" if undefined else "")


def headers_in(root):
    """The public headers: podium.h first, because the others include it"""
    return sorted((path.name for path in (root / "include").glob("*.h")), key=lambda name: (name != "podium.h", name))


class Library:
    """All files of src, with the changes that one translation unit needs"""

    def __init__(self, root):
        self.root = root
        paths = sorted(str(path.relative_to(root)) for path in (root / "src").rglob("*.[ch]"))
        texts = {path: (root / path).read_text(encoding="utf-8") for path in paths}
        templates = {path[len("src/"):]: text for path, text in texts.items() if path.endswith(".h") and not GUARD.search(text)}
        self.files = {path: File(path, text, templates) for path, text in texts.items() if path[len("src/"):] not in templates}
        self.declared = {name: set(re.findall(r"^PODIUM_API [^;]*?\b(podium_\w+)\(", self.header(name), re.M))
                         for name in headers_in(root)}
        self.identifiers = {path: set(file.identifiers()) for path, file in self.files.items()}
        self.called = {path: file.called() for path, file in self.files.items()}
        for path, file in self.files.items():
            if not file.is_header:
                file.rename(self.colliding(path))

    def header(self, name):
        return (self.root / "include" / name).read_text(encoding="utf-8")

    def version(self):
        return ".".join(re.findall(r"^#define PODIUM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", self.header("podium.h"), re.M))

    def colliding(self, path):
        """The names of a file that mean something else in another file, and what they are called instead. A variable
        is renamed even if another file only has a local one of its name, because the local one would shadow it; so is
        a function if another file has a local pointer of its name."""
        file, names = self.files[path], {}
        private = {name for item in file.items if item.is_static or item.is_typedef or not
                   {"function", "variable"} & set(item.names.values()) for name in item.names}
        for name in private:
            others = [other for other in self.files if other != path]
            taken = any(name in self.files[other].names for other in others)
            local = self.called if file.names[name] == "function" else self.identifiers
            shadowed = any(name in local[other] for other in others)
            if taken or shadowed:
                names[name] = f"{name}_of_{file.stem}"
                if any(names[name] in known for known in self.identifiers.values()):
                    fail(f"{path}: {name} cannot become {names[name]}, which exists")
        return names


LIMITS = """\
/*
 * What only the library uses is static here. A function that other files call is not inlined, and gcc treats it as if
 * it were in a file of its own. If a compiler inlined the sampler into podium_privatize, copies of a value could remain
 * on the part of the stack that podium_privatize does not wipe.
 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define PODIUM_PRIVATE static __attribute__((noipa, unused))
#elif defined(__GNUC__)
#define PODIUM_PRIVATE static __attribute__((noinline, unused))
#elif defined(_MSC_VER)
#define PODIUM_PRIVATE static __declspec(noinline)
#else
#define PODIUM_PRIVATE static
#endif
#if defined(__GNUC__)
#define PODIUM_UNUSED __attribute__((unused))
#else
#define PODIUM_UNUSED
#endif
"""

HEAD = """\
/*
 * Podium {version}: local differential privacy for numbers. {what}
 *
 * scripts/amalgamate.py of Podium's sources wrote this file; change those and not this. Add it to a
 * project together with {headers}, compile it as C11, and link
 * the mathematical library, and bcrypt in Windows:
 *
 *     cc -O2 -c podium.c && cc program.c podium.o -lm
 *
 * A C++ program includes the same header and links podium.o likewise. In Linux, link with -Wl,-z,now, because a call
 * whose address is looked up late saves registers, and with them perhaps a value. These macros choose what is built;
 * without them the platform decides:
 *
 *     PODIUM_RANDOM=PODIUM_RANDOM_NONE      no random source of the system; every caller brings one. backend.h below has
 *                                           the others
 *     PODIUM_WIPE=PODIUM_WIPE_VOLATILE      how memory is wiped; backend.h has the others
 *     PODIUM_WITH_OPENSSL                   random bytes in bulk from OpenSSL, which is then linked: -lcrypto
 *     PODIUM_WITHOUT_HEAP                   no malloc, so that minimax, whose map is computed, fails
 *     PODIUM_WITHOUT_TEXT                   no numbers, specs and collections as text, so that stdio.h is not needed
 *     PODIUM_WITHOUT_VECTORS                portable C only
 *
{license}
 */
"""

GUARDED = """\
#if !defined(PODIUM_WITHOUT_TEXT)

{text}
#endif /* PODIUM_WITHOUT_TEXT */
"""


class Bundle:
    """One C file, from all sources whose path `wanted` matches. A section is a list of .c files; what it includes stands
    before it."""

    def __init__(self, root, headers, wanted, what):
        self.library, self.headers, self.what = Library(root), headers, what
        self.public = set().union(*(self.library.declared[name] for name in headers))
        self.inlined, self.system = set(), set()
        sources = [path for path, file in self.library.files.items() if not file.is_header and wanted.match(path)]
        self.text_files = [path for path in sources if path.startswith("src/text/")]
        self.system_files = [path for path in sources if re.match(r"src/device/(random|wipe)_", path)]
        self.plain_files = [path for path in sources if path not in self.text_files + self.system_files]
        order = ["collection", "device", "analysis"]
        self.plain_files.sort(key=lambda path: order.index(path.split("/")[1]))

    def headers_of(self, path):
        """The headers of the library that a file needs, each after those that it needs itself"""
        for _, name, own, _ in self.library.files[path].includes():
            inner = "src/" + name
            if own and inner in self.library.files and inner not in self.inlined:
                self.inlined.add(inner)
                yield from self.headers_of(inner)
                yield inner

    def section(self, paths, is_optional=False):
        """The headers of the system that some files always include, and the text of these files with their own headers.
        What an optional section includes has to be included again after it."""
        paths = [header for path in paths for header in self.headers_of(path)] + paths
        files = [self.library.files[path] for path in paths]
        for file in files:
            file.make_private(self.public)
        wanted = {name for file in files for _, name, own, conditional in file.includes() if not own and not conditional}
        includes = "".join(f"#include <{name}>\n" for name in sorted(wanted - self.system))
        self.system |= set() if is_optional else wanted
        body = "\n".join(file.text(self.system) for file in files)
        return includes, body

    def features(self):
        found = dict(pair for file in self.library.files.values() for pair in file.features)
        return "".join(f"#if !defined({name})\n#define {name}{value}\n#endif\n" for name, value in sorted(found.items()))

    def shape(self):
        """The device's half includes podium_analysis.h for this struct alone."""
        if "podium_analysis.h" in self.headers:
            return ""
        found = re.search(r"^typedef struct podium_shape \{\n.*?^\} podium_shape;\n", self.library.header("podium_analysis.h"),
                          re.M | re.S)
        return f"/* ---- of include/podium_analysis.h ---- */\n\n{found.group()}\n"

    def head(self):
        lines = (self.library.root / "LICENSE").read_text(encoding="utf-8").strip().split("\n")
        license_text = "\n".join(" * " + line if line else " *" for line in lines)
        return HEAD.format(version=self.library.version(), what=self.what, headers=", ".join(self.headers),
                           license=license_text)

    def text(self):
        doubles = "src/collection/doubles.h"
        self.inlined.add(doubles)
        first_includes, rule = self.section([doubles])
        includes, plain = self.section(self.plain_files)
        text_includes, text = self.section(self.text_files, is_optional=True)
        system_includes, system = self.section(self.system_files)
        own = "".join(f'#include "{name}"\n' for name in self.headers)
        return "\n".join([self.head(), self.features(), first_includes, rule, own + "\n" + includes, LIMITS,
                          self.shape() + plain, GUARDED.format(text=text_includes + "\n" + text),
                          system_includes + system])


def write(directory, bundle):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "podium.c").write_text(bundle.text(), encoding="utf-8")
    for name in bundle.headers:
        (directory / name).write_text(bundle.library.header(name), encoding="utf-8")
    for name in ["podium.c"] + bundle.headers:
        content = (directory / name).read_bytes()
        print(f"{directory / name}: {content.count(10)} lines, {len(content)} bytes")


DEVICE = re.compile(r"src/(collection|device|text)/(?!firmware)")
ALL = re.compile(r"src/")


def main():
    parser = argparse.ArgumentParser(description="Writes the library as one C file and its headers.")
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    root, output = arguments.source, arguments.output
    write(output, Bundle(root, ["podium.h"], DEVICE, "This file is the device's half."))
    write(output / "full", Bundle(root, headers_in(root), ALL, "This file is the whole library."))


main()
