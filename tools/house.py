"""Count what the house must not have, and fail where there is too much of it; `make lint` runs it.

    python tools/house.py                  this tree: counts, limits and places; exit 1 if a limit is exceeded
    python tools/house.py /some/tree       another tree
    python tools/house.py --lines [tree]   lines of source by package, and how many of them are code

What is counted, by the syntax tree of each file (nothing is imported):

- slots: subscripts `array[..., NAME]` in the source whose index uses an UPPER_CASE name that is a number somewhere in the
  package: `rows[node, THETA]`, `ledger[COUNT]`, `rows[node, THETA + d :]`. Not counted: core/sums.py itself, the columns of a
  homogeneous row of sums (PLAYS, TOTAL, SQUARES) and of the tree of integers (FIRST, SIZE, PARENT), wherever they are read.
- undocumented: public functions, classes and methods with an argument but no `Args:` section. Public means: no name on the way
  begins with an underscore. A kernel (compiled, summing, inlined) is public if a file of another folder imports it. Not counted:
  methods that implement a Protocol of the package which documents them, properties, `__special__` methods, and settings classes:
  NamedTuples whose fields are all `Annotated[..., Number(meaning, unit=..., origin=...)]` (core/settings.py), for each field
  says there what it means.
- two values: module constants (a number, a text, or a container of these) of one name that have different values in two files,
  or are something else in another.
- long files: source of more than 320 lines; long tests are listed, too.
- private reads: attributes `x._name` in tests, but not of self or cls, nor names that Python or notebooks document: those of a
  NamedTuple, `_repr_html_`, `os._exit`.
"""

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HOMOGENEOUS = {"PLAYS", "TOTAL", "SQUARES", "FIRST", "SIZE", "PARENT"}
KERNELS = {"compiled", "summing", "inlined"}
PUBLISHED = {"_asdict", "_replace", "_fields", "_field_defaults", "_make", "_repr_html_", "_exit"}
LONGEST = 320
LIMITS = {"slots": 59, "undocumented": 0, "two values": 0, "long files": 0, "private reads": 9}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A file and its syntax tree."""

    path: Path
    name: str
    tree: ast.Module


def sources(root: Path, folder: str) -> list[Source]:
    """The Python files of a folder of the tree."""
    paths = sorted((root / folder).rglob("*.py"))
    return [Source(path, str(path.relative_to(root)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def constants(source: Source) -> Iterator[tuple[str, ast.expr]]:
    """Module-level UPPER_CASE names and what they are bound to."""
    for node in source.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if value is None or not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        if isinstance(target, ast.Name) and target.id.isupper():
            yield target.id, value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for name, part in zip(target.elts, value.elts, strict=False):
                if isinstance(name, ast.Name) and name.id.isupper():
                    yield name.id, part


def is_plain(value: ast.expr) -> bool:
    """Whether a value is a number, a text, or arithmetic and containers of these."""
    kinds = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.operator, ast.unaryop, ast.Load)
    return all(isinstance(node, kinds) for node in ast.walk(value))


def is_number(value: ast.expr) -> bool:
    """Whether a value is a number that could be an index."""
    return is_plain(value) and not any(isinstance(node, ast.Dict | ast.Set | ast.List | ast.Tuple) for node in ast.walk(value))


def slots(files: list[Source]) -> Iterator[str]:
    """Numbers that are found by number."""
    numbers = {name for source in files for name, value in constants(source) if is_number(value)} - HOMOGENEOUS
    for source in files:
        if source.name.endswith("core/sums.py"):
            continue
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Subscript) and names_in(node.slice) & numbers:
                yield f"{source.name}:{node.lineno} {ast.unparse(node)}"


def names_in(index: ast.expr) -> set[str]:
    """The names that an index is made of, but not the arguments of functions that it calls."""
    if isinstance(index, ast.Call):
        return set()
    own = {index.id} if isinstance(index, ast.Name) else {index.attr} if isinstance(index, ast.Attribute) else set()
    return own.union(*(names_in(part) for part in ast.iter_child_nodes(index) if isinstance(part, ast.expr)))


def imported_elsewhere(files: list[Source]) -> set[tuple[str, str]]:
    """Names that a file of another folder imports: (module's last part, name)."""
    found = set()
    for source in files:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and (node.level != 1 or source.path.name == "__init__.py"):
                found |= {((node.module or "").rpartition(".")[2], alias.name) for alias in node.names}
    return found


def protocols(files: list[Source]) -> set[str]:
    """Methods that a Protocol of the package documents."""
    classes = [node for source in files for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    spoken = [made for made in classes if any(ast.unparse(base).startswith("Protocol") for base in made.bases)]
    return {part.name for made in spoken for part in made.body if isinstance(part, Function) and is_documented(part)}


def is_documented(node: Function | ast.ClassDef) -> bool:
    """Whether there is an `Args:` section, or nothing to put there, or each field says what it means."""
    return "Args:" in (ast.get_docstring(node) or "") or not arguments(node) or is_settings(node)


def is_settings(node: Function | ast.ClassDef) -> bool:
    """Whether this is a NamedTuple whose fields are all `Annotated[..., Number(...)]`."""
    if not isinstance(node, ast.ClassDef) or not is_named_tuple(node):
        return False
    return all(has_number(part.annotation) for part in node.body if isinstance(part, ast.AnnAssign))


def has_number(annotation: ast.expr) -> bool:
    """Whether an annotation is `Annotated[..., Number(...)]`."""
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) != "Annotated":
        return False
    parts = annotation.slice.elts[1:] if isinstance(annotation.slice, ast.Tuple) else []
    return any(isinstance(part, ast.Call) and ast.unparse(part.func) == "Number" for part in parts)


def is_named_tuple(made: ast.ClassDef) -> bool:
    """Whether a class is a NamedTuple."""
    return any(ast.unparse(base) == "NamedTuple" for base in made.bases)


def arguments(node: Function | ast.ClassDef) -> list[str]:
    """What must be given: of a class, what its `__init__` takes or its NamedTuple holds."""
    if isinstance(node, ast.ClassDef):
        inits = [part for part in node.body if isinstance(part, Function) and part.name == "__init__"]
        fields = [part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
        return arguments(inits[0]) if inits else fields if is_named_tuple(node) else []
    given = node.args
    names = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if arg]
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def undocumented(files: list[Source]) -> Iterator[str]:
    """Public callables without an `Args:` section."""
    elsewhere, spoken = imported_elsewhere(files), protocols(files)

    def look(source: Source, body: list[ast.stmt], inside: ast.ClassDef | None) -> Iterator[str]:
        for node in body:
            if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
                continue
            marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
            inner = KERNELS & marks and (source.path.stem, node.name) not in elsewhere
            accessor = any(mark == "property" or mark.endswith((".setter", "overload")) for mark in marks)
            spoken_for = inside is not None and node.name in spoken and not is_protocol(inside)
            if not inner and not accessor and not spoken_for and not is_documented(node):
                yield f"{source.name}:{node.lineno} {node.name}"
            if isinstance(node, ast.ClassDef):
                yield from look(source, node.body, node)

    for source in files:
        if not any(part.startswith("_") and part != "__init__" for part in Path(source.name).with_suffix("").parts):
            yield from look(source, source.tree.body, None)


def is_protocol(made: ast.ClassDef) -> bool:
    """Whether a class is a Protocol."""
    return any(ast.unparse(base).startswith("Protocol") for base in made.bases)


def two_values(files: list[Source]) -> Iterator[str]:
    """Constants of one name and several values."""
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    plain = {name for source in files for name, value in constants(source) if is_plain(value)}
    for source in files:
        for name, value in constants(source):
            if name in plain:
                values[name][ast.unparse(value)].append(source.name)
    for name, found in sorted(values.items()):
        if len(found) > 1:
            yield f"{name}: " + "; ".join(f"{value[:40]} in {', '.join(where)}" for value, where in found.items())


def long_files(files: list[Source]) -> Iterator[str]:
    """Files of too many lines."""
    for source in files:
        lines = len(source.path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST:
            yield f"{source.name} {lines}"


def private_reads(files: list[Source]) -> Iterator[str]:
    """Private attributes of something else."""
    for source in files:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                if owner not in ("self", "cls") and node.attr not in PUBLISHED:
                    yield f"{source.name}:{node.lineno} {ast.unparse(node)}"


def print_lines(root: Path) -> None:
    """Lines of source by package: all of them, and those of code, without docstrings, comments and blank lines."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for source in sources(root, "src/hedgerow"):
        parts = Path(source.name).parts[2:]
        text = source.path.read_text(encoding="utf-8")
        for package in (parts[0] if len(parts) > 1 else "(top)", "in all"):
            counted[package] += Counter(lines=len(text.splitlines()), code=len(code_lines(source.tree, text)))
    print(" lines   code")
    for package, found in sorted(counted.items(), key=lambda entry: (entry[0] == "in all", entry[0])):
        print(f"{found['lines']:6,d} {found['code']:6,d} {package}")


def code_lines(tree: ast.Module, text: str) -> set[int]:
    """The numbers of the lines that hold code: something else than a docstring or a comment."""
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            found |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def main() -> int:
    """Print the counts; 1 if one of them is above its limit."""
    given = [argument for argument in sys.argv[1:] if argument != "--lines"]
    root = Path(given[0]) if given else Path(__file__).parents[1]
    if "--lines" in sys.argv:
        print_lines(root)
        return 0
    source, tests = sources(root, "src/hedgerow"), sources(root, "tests")
    found = {
        "slots": list(slots(source)),
        "undocumented": list(undocumented(source)),
        "two values": list(two_values(source)),
        "long files": list(long_files(source)),
        "private reads": list(private_reads(tests)),
    }
    for name, places in found.items():
        print(f"{name}: {len(places)} (at most {LIMITS[name]})")
        if len(places) > LIMITS[name]:
            print("".join(f"    {place}\n" for place in places), end="")
    if long := list(long_files(tests)):
        print(f"long tests: {', '.join(long)}")
    return int(any(len(places) > LIMITS[name] for name, places in found.items()))


if __name__ == "__main__":
    raise SystemExit(main())
