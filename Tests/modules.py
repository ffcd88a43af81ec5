"""The folders of the package's modules, as Package.swift names them."""

import re
from pathlib import Path

TARGET = re.compile(r"\.(target|executableTarget|testTarget|systemLibrary)\(\s*name: \"(\w+)\"")


def folders(package):
    """The folder of each module, relative to the package."""
    text = Path(package, "Package.swift").read_text()
    targets = list(TARGET.finditer(text))
    ends = [target.start() for target in targets[1:]] + [len(text)]
    found = {}
    for target, end in zip(targets, ends):
        path = re.search(r'path: "([^"]+)"', text[target.start():end])
        top = "Tests" if target[1] == "testTarget" else "Sources"
        found[target[2]] = path[1] if path else f"{top}/{target[2]}"
    return found
