"""The planted bugs: how they are written down, and how they are planted in a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import modules  # noqa: E402

# Read by each module from the environment, once. Each module has its own, for nothing may depend on a module of bugs.
SWIFT_SWITCH = """\
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

private let plantedBugNumber = getenv("MILLRACE_BUG").flatMap { Int(String(cString: $0)) } ?? 0

@usableFromInline
func plantedBug(_ number: Int) -> Bool { plantedBugNumber == number }
"""

# The function has the name of its module, because all C functions of a program share one space of names.
C_SWITCH = """\
#include <stdlib.h>

static int number;

__attribute__((constructor)) static void read_number(void) {{
  const char *text = getenv("MILLRACE_BUG");
  number = text ? atoi(text) : 0;
}}

int {function}(int bug) {{ return number == bug; }}
"""

@dataclass
class Bug:
    number: int
    name: str
    path: str
    place: str  # where it stands, for messages
    at: str = ""
    old: str = ""
    new: str | None = None
    tests: str = ""
    equivalent: str = ""
    hangs: str = ""

    @property
    def module(self):
        return self.path.split("/")[0]

    @property
    def is_in_c(self):
        return Path(self.path).suffix in (".c", ".h")

    @property
    def switch(self):
        """The function that tells whether a bug is planted, in the language of the file."""
        return f"millrace_planted_bug_in_{self.module}" if self.is_in_c else "plantedBug"

    def range(self, source):
        """The first and the last offset of what is replaced; a sentence if that is not there exactly once."""
        context = self.at or self.old
        found = source.count(context)
        if found != 1:
            return f"{self.place}: '{context}' stands {found} times in {self.path}, and has to stand there once."
        if context.count(self.old) != 1:
            return f"{self.place}: '{self.old}' stands {context.count(self.old)} times in its line 'at'."
        start = source.index(context) + context.index(self.old)
        return (start, start + len(self.old))

    @property
    def planted(self):
        asked = f"{self.switch}({self.number})"
        if self.new is not None:
            return f"({asked} ? {self.new} : {self.old})"
        return f"if (!{asked}) {{ {self.old} }}" if self.is_in_c else f"if !{asked} {{ {self.old} }}"


def read_bugs(folder):
    """All bugs of the files of a folder, and sentences about what is wrong with them."""
    bugs, problems = [], []
    for file in sorted(Path(folder).glob("*.txt")):
        bug = None
        for number, line in enumerate(file.read_text().splitlines(), 1):
            place = f"{file.name}:{number}"
            if not line.strip() or line.startswith("#"):
                continue
            key, _, value = line.partition(" ")
            value = value.strip().replace("⏎", "\n")
            if re.fullmatch(r"[a-z-]*-[a-z-]*", key):
                bug = Bug(len(bugs) + 1, key, value, place)
                bugs.append(bug)
            elif bug is None:
                problems.append(f"{place}: '{key}' stands before the name of a bug, which is some words with hyphens.")
            elif key in ("at", "to", "tests", "equivalent", "hangs"):
                setattr(bug, {"to": "new"}.get(key, key), value)
            elif key in ("from", "drop"):
                bug.old = value
            else:
                problems.append(f"{place}: '{key}' is none of at, from, to, drop, tests, equivalent and hangs.")
    names = [bug.name for bug in bugs]
    suites = {file.stem for file in Path(folder).parent.rglob("*Tests.swift")}
    for bug in bugs:
        for suite in bug.tests.split("|"):
            if suite not in suites:
                problems.append(f"{bug.place}: {bug.name} names '{suite}', and there is no {suite}.swift below Tests.")
        if names.count(bug.name) > 1:
            problems.append(f"{bug.place}: {bug.name} is the name of two bugs; give each its own.")
        if bug.new is not None and not is_expression(bug.old):
            problems.append(f"{bug.place}: {bug.name} replaces '{bug.old}', which is no single expression; plant one part of it.")
        if not bug.old:
            problems.append(f"{bug.place}: {bug.name} needs either 'drop', or 'from' and 'to'.")
    return bugs, problems


def is_expression(text):
    """False for a list of conditions and for an assignment, which parse as a part of a conditional expression and are none."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    while (inner := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", bare)) != bare:
        bare = inner
    return "," not in re.sub(r"<[^<>]*>", "", bare) and " = " not in bare


def plant(bugs, package, copy):
    """Copies the package with all bugs planted; returns sentences about those that cannot be. Equal files are kept.

    Without a copy, the planted sources are only parsed.
    """
    problems = []
    changed = {}
    for path in sorted({bug.path for bug in bugs}):
        file = find(package, path)
        source = file.read_text() if file else None
        ranges = []
        for bug in (bug for bug in bugs if bug.path == path):
            found = f"{bug.place}: there is no {path}, by the folders of Package.swift." if source is None else bug.range(source)
            if isinstance(found, str):
                problems.append(found)
            else:
                ranges.append((found, bug))
        ranges.sort(key=lambda entry: entry[0], reverse=True)
        for (later, _), (earlier, bug) in zip(ranges, ranges[1:]):
            if earlier[1] > later[0]:
                problems.append(f"{bug.place}: {bug.name} overlaps another bug; plant it elsewhere.")
        for (start, end), bug in ranges:
            source = source[:start] + bug.planted + source[end:]
        if ranges and bug.is_in_c:
            source = f"int {bug.switch}(int bug);\n#line 1\n{source}"
        if file:
            changed[str(file.relative_to(package))] = source
    for bug in bugs:
        folder = modules.folders(package).get(bug.module)
        if folder and bug.is_in_c:
            changed[f"{folder}/PlantedBug.c"] = C_SWITCH.format(function=bug.switch)
        elif folder:
            changed[f"{folder}/PlantedBug.swift"] = SWIFT_SWITCH
    if problems:
        return problems
    if copy:
        mirror(package, copy, changed)
        return []
    return parse(changed, package)


def find(package, path):
    """The file of a path that begins with its module's folder; None if there is none."""
    module, _, rest = path.partition("/")
    folder = modules.folders(package).get(module)
    return file if folder and (file := Path(package, folder, rest)).exists() else None


def parse(changed, package):
    """The errors of syntax in planted sources, which an edit in the middle of an expression makes."""
    output = ""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for path, source in changed.items():
            name = path.replace("/", "__")
            Path(folder, name).write_text(source)
            names.append(name)
        swift = [name for name in names if name.endswith(".swift")]
        if swift:
            command = ["swiftc", "-frontend", "-parse", *swift]
            output += subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr
        for name in names:
            if not name.endswith(".swift"):
                module = Path(package, *name.split("__")[:2])
                command = ["clang", "-x", "c", "-fsyntax-only", "-w", "-DSQLite", f"-I{module}", f"-I{module}/include", name]
                output += subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr
    errors = re.findall(r"^(\S+\.(?:swift|c|h)):(\d+):\d+: (?:fatal )?error: (.*)$", output, re.MULTILINE)
    return [
        f"{name.replace('__', '/')}:{line}: {error}, with the bugs planted; plant a whole expression or statement."
        for name, line, error in errors
        if not error.endswith("file not found")  # The headers of a library that is not installed.
    ]


def mirror(package, copy, changed):
    """Makes `copy` the package with some files changed, and touches no file that is so already."""
    wanted = {}
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name != ".git" and not name.startswith(".build")]
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        for name in files + linked:
            path = Path(folder, name)
            wanted[str(path.relative_to(package))] = path
    for folder, folders, files in os.walk(copy):
        folders[:] = [name for name in folders if not name.startswith(".build")]
        for name in files:
            path = str(Path(folder, name).relative_to(copy))
            if path not in wanted and path not in changed:
                Path(copy, path).unlink()
    for path in {*wanted, *changed}:
        target = Path(copy, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path in changed:
            data = changed[path].encode()
        elif wanted[path].is_symlink():
            if not target.is_symlink():
                target.symlink_to(os.readlink(wanted[path]))
            continue
        else:
            data = wanted[path].read_bytes()
        if not target.exists() or target.read_bytes() != data:
            target.write_bytes(data)
        shutil.copymode(wanted.get(path, Path(package, "Package.swift")), target)
