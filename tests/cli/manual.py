#!/usr/bin/env python3
"""Compares the manual pages with the program's tables of options.

    manual.py MANUAL-DIR PROGRAM

The page of a command must document exactly the options of the command, with the same names for their arguments as in
the table, and its synopsis must use no other option. The name line of a page must agree with the help, podium(1) must
list all commands, and each word that an option accepts must be explained somewhere. At the end the script makes some
mistakes in the pages on purpose, and must find each of them.
"""
import pathlib
import re
import subprocess
import sys

directory, program = pathlib.Path(sys.argv[1]), sys.argv[2]


def said(*arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def options_of_program():
    """Returns the argument and the words of each option of each command."""
    commands = {}
    for line in said("help", "--list").splitlines():
        command, option, argument, words = line.split("\t")
        commands.setdefault(command, {})[option] = (argument.lower(), words.split("|") if words else [])
    return commands


def tags(page):
    """Returns the options that the page documents, and their arguments, from lines such as
    .It Fl o Ar file , Fl -output Ar file
    in which Ns joins words, Op puts the rest into brackets, and Ar and Cm only choose a font."""
    documented = {}
    for line in re.findall(r"^\.It Fl (.*)$", page, re.M):
        for tag in line.split(" , Fl "):
            name, *words = [word for word in tag.split() if word not in ("Ar", "Cm", "Ns")]
            argument = "".join("[" if word == "Op" else word for word in words) + "]" * words.count("Op")
            documented["-" + name] = argument
    return documented


def complaints(command, options, page, summary, others):
    """Yields what is wrong with the page of one command, which may refer to the other pages."""
    documented = tags(page)
    for option, (argument, words) in options.items():
        if option not in documented:
            yield f"{option} is not documented"
        elif documented[option] != argument:
            yield f"the argument of {option} is '{documented[option]}' here and '{argument}' in the program"
        for word in words:
            if not re.search(rf"\bCm [a-z |]*(?<![\w-]){word}(?![\w-])", page + others):
                yield f"'{word}', which {option} takes, is not explained anywhere"
    for option in documented.keys() - options.keys():
        yield f"{option} is documented, but the program does not know it"
    synopsis = page.partition(".Sh SYNOPSIS")[2].partition(".Sh DESCRIPTION")[0]
    for option in set(re.findall(r"\bFl ([a-z-]+)", synopsis)):
        if "-" + option not in options:
            yield f"the synopsis uses -{option}, which the program does not know"
    if f".Nm podium-{command}\n.Nd {summary}\n" not in page:
        yield f"its name line is not '{summary}'"


def check(pages):
    """Returns a list of what is wrong with the pages."""
    commands = options_of_program()
    summaries = dict(re.findall(r"^  ([a-z]+) +(.*)$", said("help"), re.M))
    found = [f"podium(1) does not list {command}" for command in commands
             if f".It Cm {command}\n" not in pages["podium"]]
    if commands.keys() != summaries.keys():
        found.append("help and help --list have different commands")
    for command, options in commands.items():
        page = pages.get(f"podium-{command}", "")
        found += [f"podium-{command}(1): {complaint}"
                  for complaint in complaints(command, options, page, summaries[command], pages["podium-design"])]
    return found


# Mistakes that must be found: the page, the right text, and the wrong text.
MISTAKES = (
    ("podium-plan", ".It Fl -people Ar n\n", ""),
    ("podium-plan", ".It Fl -people Ar n\n", ".It Fl -people Ar n\n.It Fl -persons Ar n\n"),
    ("podium-plan", ".It Fl -people Ar n\n", ".It Fl -people Ar number\n"),
    ("podium-plan", ".Op Fl -people Ar n\n", ".Op Fl -persons Ar n\n"),
    ("podium-compare", ".It Fl -epsilon Ar e Ns Op , Ns Ar e ...\n", ".It Fl -epsilon Ar e\n"),
    ("podium-privatize", ".It Fl -invalid Cm error | drop | clamp | keep\n", ".It Fl -invalid Cm error | drop | clamp\n"),
    ("podium-design", ".It Cm staircase\n", ".It Cm stairs\n"),
    ("podium-merge", ".It Fl o Ar file , Fl -output Ar file\n", ".It Fl -output Ar file\n"),
    ("podium-merge", ".Nd merge aggregates into one\n", ".Nd merge aggregates\n"),
    ("podium", ".It Cm merge\n", ""),
)

manual = {path.stem: path.read_text() for path in directory.glob("*.1")}
wrong = check(manual)
for name, right, mistake in MISTAKES:
    if manual[name].count(right) != 1:
        wrong.append(f"{name}: '{right.strip()}' must occur exactly once, to make a mistake in it")
    elif not check({**manual, name: manual[name].replace(right, mistake)}):
        wrong.append(f"{name}: '{mistake.strip()}' instead of '{right.strip()}' is not found")
for complaint in wrong:
    print("manual.py:", complaint, file=sys.stderr)
print(f"manual: {len(manual)} pages, {len(MISTAKES)} mistakes on purpose, {len(wrong)} complaints")
sys.exit(1 if wrong else 0)
