"""Plants bugs in a copy of the package, builds it once, and runs the tests with each bug until one fails."""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from bugs import plant, read_bugs

PACKAGE = Path(__file__).resolve().parents[2]
COPY = PACKAGE / ".build-mutants"
# Seconds for the suites that should find a bug, and for all others. What takes longer is run again, for as long as AGAIN times that.
FIRST_LIMIT, ALL_LIMIT, AGAIN = 20, 600, 5
SKIPPED = "ReportPageTests"  # They look at pages in a browser, which is slow and tells little of planted bugs.
HELP = """
It copies the package to .build-mutants, plants the bugs of Tests/PlantedBugs/*.txt in the copy, each behind a number, and
builds the tests once, with all traits, which need libsqlite3-dev and libmicrohttpd-dev. With each bug it runs the suites that should find it, and
if none fails all the others, until a test fails, crashes or hangs. It prints a line for each bug, and ends with exit code 1 when a
bug was not found that is not listed as equivalent, or one was found that is. Takes at most 2 hours on two cores.

Suites that are not done in time have found nothing: the machine may be busy. They are run again, each alone and five times as long,
and only a hang that repeats has found the bug. The first one is enough for a bug whose line 'hangs' says that a test waits for ever.

A bug has a name and a file, in Swift or C, by its path from the folder of its module, and these lines:
  tests NAMES       the files of the tests that should find it, without .swift and with | between them
  from TEXT         an expression, which stands once in the file, or once in the line 'at'
  to TEXT           what it is with the bug
  drop TEXT         instead of both: a statement that is left out
  at TEXT           where the same stands more than once: a longer text around it, ⏎ for the end of a line
  hangs WHY         a test waits for ever with this bug, for this reason
  equivalent WHY    nothing changes with this bug, for this reason

In C an expression is neither in a directive nor in a constant, such as a case or the value of an enumeration, and both have one type.
"""

# The result of suites that were not done in time.
TIMED_OUT = object()


def arguments():
    parser = argparse.ArgumentParser(
        prog="Tests/mutants", description="Plants bugs in a copy of the sources, and shows which of them no test finds.",
        epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", help="plant all, but try only the bugs whose names match")
    parser.add_argument("--named", action="store_true", help="run only the suites that should find a bug, which is quick")
    parser.add_argument("--check", action="store_true", help="only see whether each bug can be planted and parsed; builds nothing")
    parser.add_argument("--list", action="store_true", help="only print the names")
    return parser.parse_args()


def fail(*sentences):
    for sentence in sentences:
        print(f"Tests/mutants: {sentence}", file=sys.stderr)
    sys.exit(64)


def run_tests(bug_number, selection, limit):
    """Runs tests of the copy until one fails. Returns what failed, TIMED_OUT, or None when all passed, and the last lines."""
    # The program itself: `swift test` gives it a process group of its own, which would go on when that of swift is killed.
    command = [str(COPY / ".build-debug/debug/millracePackageTests.xctest"), "--testing-library", "swift-testing"]
    command += ["--no-parallel", "--skip", SKIPPED]
    environment = {**os.environ, "MILLRACE_SCALE": "0.01", "MILLRACE_BUG": str(bug_number), "NO_COLOR": "1"}
    process = subprocess.Popen(
        command + selection, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True)
    finding, is_late, tail = None, False, []

    def kill():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end_late(*_):
        nonlocal is_late
        is_late = True
        kill()

    signal.signal(signal.SIGALRM, end_late)
    signal.alarm(limit)
    for line in process.stdout:
        tail = (tail + [line.rstrip()])[-20:]
        failed = re.search(r'^✘ Test (.+?) (?:recorded an issue|failed after)', line)
        if failed:
            finding = failed.group(1)
            break
    signal.alarm(0)
    if finding is None and is_late:
        finding = TIMED_OUT
    if finding is not None:
        kill()
    code = process.wait()
    if finding is None and code != 0:
        finding = f"ends with exit code {code}"
    return finding, tail


def run_for(bug, selection, again, limit):
    """The result of suites with a bug: a test, a crash, a hang that repeats or that the bug is known for, or None.

    After a time-out the selections `again` are run, each alone.
    """
    finding, _ = run_tests(bug.number, selection, limit)
    if finding is not TIMED_OUT:
        return finding
    if bug.hangs:
        return "hangs"
    for selection in again:
        finding, _ = run_tests(bug.number, selection, AGAIN * limit)
        if finding is not None:
            return "hangs, twice" if finding is TIMED_OUT else finding
    return None


def look_for(bug, only_named):
    """What has found a bug, or None."""
    named, others = ["--filter", bug.tests], ["--skip", bug.tests]
    finding = run_for(bug, named, [["--filter", suite] for suite in bug.tests.split("|")], FIRST_LIMIT)
    if finding is None and not only_named:
        finding = run_for(bug, others, [others], ALL_LIMIT)
        finding = finding and f"{finding} (of another suite)"
    return finding


def main():
    options = arguments()
    bugs, problems = read_bugs(PACKAGE / "Tests" / "PlantedBugs")
    problems += plant(bugs, PACKAGE, None if options.check or options.list else COPY)
    if problems:
        fail(*problems)
    if options.list or options.check:
        print(*(f"{bug.module:18} {bug.name}" for bug in bugs) if options.list else [f"{len(bugs)} bugs can be planted."], sep="\n")
        return
    chosen = [bug for bug in bugs if re.search(options.only or "", bug.name)]
    if not chosen:
        fail(f"no bug has a name like '{options.only}'; see Tests/mutants --list.")
    print(f"== Building with {len(bugs)} bugs planted", flush=True)
    subprocess.run(["swift", "build", "--build-tests", "--traits", "SQLite,Inspector,Postgres", "--scratch-path", ".build-debug"], cwd=COPY, check=True)
    everyone = "|".join(sorted({bug.tests for bug in chosen})) if options.only or options.named else "."
    print("== Without a bug", flush=True)
    finding, tail = run_tests(0, ["--filter", everyone], ALL_LIMIT)
    if finding is TIMED_OUT:
        fail(f"without a bug the tests took longer than {ALL_LIMIT} s; let the machine do less beside them.")
    if finding:
        print(*tail, sep="\n")
        fail(f"without a bug {finding}; mend that first.")
    survivors, wrong = [], []
    for bug in chosen:
        started = time.monotonic()
        finding = look_for(bug, options.named)
        if finding is None and not bug.equivalent:
            survivors.append(bug)
        if finding and bug.equivalent:
            wrong.append(bug)
        verdict = f"found: {finding}" if finding else "equivalent" if bug.equivalent else "SURVIVES"
        print(f"{time.monotonic() - started:5.0f} s  {bug.module:18} {bug.name:48} {verdict}", flush=True)
    found = len(chosen) - len(survivors) - sum(1 for bug in chosen if bug.equivalent)
    print(f"== {len(chosen)} bugs: {found} found, {len(survivors)} not, the others are equivalent")
    for bug in survivors:
        print(f"{bug.place}: {bug.name} survives; write a test that finds it, or say why it is equivalent.")
    for bug in wrong:
        print(f"{bug.place}: {bug.name} is listed as equivalent, and a test found it; remove the line 'equivalent'.")
    sys.exit(1 if survivors or wrong else 0)


main()
