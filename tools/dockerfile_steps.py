"""Do what the Dockerfile does, without a container engine: its steps in a folder that stands for the root of the image.

    python tools/dockerfile_steps.py FOLDER            build, then start the service as the image would, until Ctrl-C
    python tools/dockerfile_steps.py FOLDER --build    build only

COPY copies, RUN runs, ENV, ARG and WORKDIR are kept; /opt, /data and /tmp lie in the folder. Not done: the base image (python3 of
this machine stands for it), USER, and the read-only root file system.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from dockerfile_parse import DockerfileParser

SOURCE = Path(__file__).parents[1]
INSIDE = re.compile(r"(?<![\w.-])/(opt|data|tmp)\b")


class Image(NamedTuple):
    """What the Dockerfile says of the image: how to start it, and how to ask whether it is well."""

    command: list[str]
    health: list[str]
    environment: dict[str, str]
    folder: str


class Steps:
    """The steps of the last stage that was begun; files of all stages lie in one folder, under the same names."""

    def __init__(self, root: Path):
        self.root = root
        self.environment: dict[str, str] = {}
        self.folder, self.entry, self.command, self.health = "/", [""], [""], [""]

    def within(self, text: str) -> str:
        """A text whose absolute addresses lie in the folder."""
        return INSIDE.sub(rf"{self.root}/\1", text)

    def filled(self, text: str) -> str:
        """A text with variables in it."""
        return re.sub(r"\$\{?(\w+)\}?", lambda found: self.environment.get(found[1], found[0]), text)

    def do_from(self, _: str) -> None:
        self.environment, self.folder = {}, "/"

    def do_arg(self, value: str) -> None:
        name, _, default = value.partition("=")
        self.environment[name] = os.environ.get(name, default)

    def do_env(self, value: str) -> None:
        for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|(\S*))', value):
            self.environment[name] = self.within(self.filled(quoted or plain))

    def do_workdir(self, value: str) -> None:
        self.folder = value
        Path(self.within(value)).mkdir(parents=True, exist_ok=True)

    def do_copy(self, value: str) -> None:
        options = re.findall(r"--(\w+)=(\S+)", value)
        if "from" in dict(options):
            return  # the stages share the folder
        *files, target = re.sub(r"--\w+=\S+", "", value).split()
        for file in files:
            self._copied(SOURCE / file, Path(self.within(os.path.join(self.folder, target))), is_folder=target.endswith("/"))
        for _, mode in (option for option in options if option[0] == "chmod"):
            Path(self.within(target)).chmod(int(mode, 8))

    def _copied(self, file: Path, target: Path, *, is_folder: bool) -> None:
        name = str(file.relative_to(SOURCE))
        assert allowed(name), f".dockerignore leaves out {name}, which the Dockerfile copies"
        if file.is_dir():
            shutil.copytree(file, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        elif file.suffix == ".sh":
            target.write_text(self.within(file.read_text()))
        else:
            shutil.copy2(file, target / file.name if is_folder else target)

    def do_run(self, value: str) -> None:
        print("RUN", value, flush=True)
        subprocess.run(["/bin/sh", "-ec", self.within(value)], cwd=self.within(self.folder), env=self.all(), check=True)

    def do_entrypoint(self, value: str) -> None:
        self.entry = json.loads(self.within(value))

    def do_cmd(self, value: str) -> None:
        self.command = json.loads(self.within(value))

    def do_healthcheck(self, value: str) -> None:
        self.health = json.loads(self.within(value.partition("CMD ")[2]))

    def do_nothing(self, _: str) -> None:
        """USER, VOLUME, EXPOSE: for an engine to keep."""

    def all(self) -> dict[str, str]:
        """The environment of a step: what the Dockerfile says, and nothing of the caller's but how to reach a package index."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in ("PATH", "HOME")}
        return kept | self.environment


def allowed(name: str) -> bool:
    """Whether .dockerignore, which leaves out everything but what it names, lets a file through."""
    lines = (SOURCE / ".dockerignore").read_text().splitlines()
    return any(fnmatch(name, line.removeprefix("!")) for line in lines if line.startswith("!"))


def build(root: Path, *, only_say: bool = False) -> Image:
    """Do all steps in a folder, or only say what the image is once they were done there."""
    for name in ("opt", "data", "tmp"):
        (root / name).mkdir(parents=True, exist_ok=True)
    steps = Steps(root.resolve())
    with (SOURCE / "Dockerfile").open("rb") as file:
        instructions = DockerfileParser(fileobj=file).structure
    for step in instructions:
        if step["instruction"] != "COMMENT" and not (only_say and step["instruction"] in ("RUN", "COPY")):
            getattr(steps, f"do_{step['instruction'].lower()}", steps.do_nothing)(step["value"])
    return Image([*steps.entry, *steps.command], steps.health, steps.all(), steps.within(steps.folder))


def main() -> None:
    """Build, and start."""
    image = build(Path(sys.argv[1]))
    if "--build" not in sys.argv:
        raise SystemExit(
            subprocess.run(image.command, env=image.environment | os.environ, cwd=image.folder, check=False).returncode
        )


if __name__ == "__main__":
    main()
