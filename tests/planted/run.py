#!/usr/bin/env python3
"""Plants one bug and demands that each test named in the patch's "Caught-by:" line fails. A suite that cannot fail
proves nothing.

Only what the patch changes is compiled, by the commands of a finished build, and linked with the objects of that build.
A test is stopped at its first failure.

  run.py SOURCE-DIR BUILD-DIR WORK-DIR PATCH
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

LIBRARY = "podium_objects"
NOT_RUN = (126, 127)  # what a shell exits with if it cannot start a program
VALGRIND_ERROR = 9  # --error-exitcode in ctime/run.sh
SKIPPED = 77
NEON_QUICK = ("gcc", "-O2", "5")  # compiler, level and stride of devices/neon


def give_up(message):
    sys.exit(f"planted: {message}")


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        give_up(f"{shlex.join(map(str, command))}\n{done.stdout}")


def field(text, name):
    found = re.search(rf"^{name}: (.+)$", text, re.MULTILINE)
    return found.group(1) if found else give_up(f"the patch has no line '{name}:'")


def after(words, option):
    return words[words.index(option) + 1]


class Planted:
    """A bug in a copy of the sources, and the programs that it gets into"""

    def __init__(self, source, build, work, patch):
        self.source, self.build, self.work, self.tree = source, build, work, work / "tree"
        text = patch.read_text()
        self.bug = field(text, "Bug")
        self.tests = field(text, "Caught-by").split()
        self.files = {source / name for name in re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE)}
        shutil.rmtree(work, ignore_errors=True)
        for part in ("include", "src", "cli", "adapters", "tests"):
            shutil.copytree(source / part, self.tree / part)
        run(["patch", "--quiet", "--strip=1", "--fuzz=0", f"--directory={self.tree}", f"--input={patch}"])
        self.commands = json.loads((build / "compile_commands.json").read_text())

    def has_bug(self, entry, old):
        """Does an object come from a changed file? The compiler has noted what it read."""
        read = (Path(entry["directory"]) / f"{old}.d").read_text()
        return any(Path(os.path.normpath(word)) in self.files for word in read.split())

    def compile(self, target):
        """The objects of a target that have the bug in them: {their path in the build: their new path}"""
        objects = {}
        for entry in self.commands:
            words = shlex.split(entry["command"])
            old = after(words, "-o")
            if f"/{target}.dir/" not in f"/{old}" or not self.has_bug(entry, old):
                continue
            new = self.work / target / Path(old).name
            new.parent.mkdir(exist_ok=True)
            words = [re.sub(f"^(-I)?{re.escape(str(self.source))}/", rf"\g<1>{self.tree}/", word) for word in words]
            words[words.index("-o") + 1] = str(new)
            run(words + ["-w"], cwd=entry["directory"])
            objects[old] = str(new)
        return objects

    def library(self):
        """The static library with the bug in it, or None if the bug is elsewhere"""
        copy = self.work / "libpodium.a"
        if not copy.exists():
            objects = self.compile(LIBRARY)
            if not objects:
                return None
            shutil.copy(self.build / copy.name, copy)
            run(["ar", "r", copy, *objects.values()])
        return str(copy)

    def link(self, test):
        """The test's program with the bug in it"""
        target, directory = test.replace("/", "_"), self.build / "tests"
        recipe = directory / "CMakeFiles" / f"{target}.dir" / "link.txt"
        if not recipe.exists():
            give_up(f"no test program is called {test}")
        words = shlex.split(recipe.read_text())
        changed = self.compile(target)
        if "../libpodium.a" in words and self.library():
            changed["../libpodium.a"] = self.library()
        if not changed:
            give_up(f"{test} has nothing of what the patch changes in it")
        program = str(self.work / target / "program")
        Path(program).parent.mkdir(exist_ok=True)
        words = [changed.get(word, word) for word in words]
        words[words.index("-o") + 1] = program
        run(words, cwd=directory)
        return program

    def fails(self, test):
        if test.startswith("ctime/"):
            return self.ctime_fails(test)
        if test == "devices/neon":
            return self.neon_fails()
        if test.startswith("python/"):
            return self.python_fails(test)
        # Check writes a line as each test ends, and statistical/reports one for each failure. Told to terminate, it kills the process group of the test that runs, or
        # between two tests its own, which is why it needs one of its own.
        environment = dict(os.environ, CK_TAP_LOG_FILE_NAME="-")
        with subprocess.Popen([self.link(test)], cwd=self.work, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
            for line in process.stdout:
                if line.startswith("not ok"):
                    process.terminate()
                    return True
        if process.returncode in NOT_RUN:
            give_up(f"{test} did not start")
        return process.returncode != 0

    def ctime_fails(self, test):
        """Does a test fail that builds for itself, ctime/COMPILER-LEVEL or ctime/COMPILER-LEVEL-MACHINE?"""
        compiler, level, *machine = test.removeprefix("ctime/").split("-")
        done = subprocess.run([self.tree / "tests/ctime/run.sh", self.tree, self.work / f"{compiler}-{level}", compiler,
                               f"-{level}", *machine], env=dict(os.environ, VALGRIND_OPTS="--exit-on-first-error=yes"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode not in (0, VALGRIND_ERROR) and "ctime: " not in done.stdout:
            give_up(done.stdout)
        return done.returncode != 0

    def neon_fails(self):
        """Does an assertion of unit/vector fail on 64-bit ARM? The test builds for itself, too."""
        done = subprocess.run([self.tree / "tests/devices/neon.sh", self.tree, self.work / "neon", *NEON_QUICK],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0 and "not ok" not in done.stdout:
            give_up(done.stdout)
        return done.returncode != 0

    def python_package(self, venv):
        """The Python package with the bug in it. Its module is that of the wheel, unless the bug is there."""
        package, adapter = self.work / "package/podium", self.tree / "adapters/python"
        shutil.copytree(adapter / "podium", package, dirs_exist_ok=True)
        [module] = venv.glob("lib/python*/site-packages/podium/_core.*.so")
        if any("adapters/python/core" in str(file) for file in self.files):
            self.python_module(venv / "bin/python", package / module.name)
        else:
            shutil.copy(module, package)
        return package.parent

    def python_module(self, python, module):
        """Compiles the module, without the program, of which no test of a bug needs anything."""
        find = "import sysconfig; print(sysconfig.get_path('include'), end='')"
        headers = subprocess.check_output([python, "-c", find], text=True)
        sources = [*(self.tree / "adapters/python/core").glob("*.c"), self.tree / "adapters/common/spec.c"]
        run(["cc", "-shared", "-fPIC", "-O1", "-w", f"-I{self.tree}/include", f"-I{headers}", "-o", module, *sources,
             self.library() or self.build / "libpodium.a", "-lcrypto", "-lm", "-Wl,--defsym=main=0"])

    def python_fails(self, test):
        """Does python/FILE::TEST fail, a test of the Python package, in the environment of python/package?"""
        venv = self.build / "tests/python/venv"
        if not (venv / "wanted").exists():
            print("planted: python/package has made no environment")
            sys.exit(SKIPPED)
        environment = dict(os.environ, PYTHONPATH=self.python_package(venv), PODIUM_SOURCE=self.tree,
                           PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([venv / "bin/python", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
                               self.tree / "tests" / test], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode > 1:  # pytest did not get to the test; below 0, the test died
            give_up(done.stdout)
        return done.returncode != 0


def main():
    planted = Planted(*(Path(argument).resolve() for argument in sys.argv[1:5]))
    for test in planted.tests:
        if not planted.fails(test):
            give_up(f"{test} does not notice: {planted.bug}")
        print(f"{test} caught it: {planted.bug}")


main()
