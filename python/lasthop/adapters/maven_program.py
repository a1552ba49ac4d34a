"""Base class of lasthop's own servers around Java libraries, built with Maven."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter
from lasthop.errors import EnvironmentFailure

_SOURCES = Path(__file__).with_name("java")


class MavenProgram(Adapter):
    """A server of lasthop around a Java library, built by `mvn package`.

    Attributes
    ----------
    library
        Name of the library's jar without its version.
    main
        Main class of the program.
    memory
        Maximum heap size in Java's notation.
    properties
        System properties of the Java machine, as ``name=value``.
    """

    program: ClassVar[str] = "java"
    install: ClassVar[str] = "apt-get install default-jre-headless"
    ready_s: ClassVar[float] = 120.0
    library: ClassVar[str]
    main: ClassVar[str]
    memory: ClassVar[str] = "512m"
    properties: ClassVar[tuple[str, ...]] = ()

    def find(self) -> Path:
        """Return the path of Java if the library's jar was built.

        Raises
        ------
        EnvironmentFailure
            One is not there.
        """
        java = super().find()
        self._jar()
        return java

    def version(self, program: Path) -> str:
        """Return the version of the library, from the name of its jar."""
        del program
        return self._jar().stem.removeprefix(f"{self.library}-")

    def java(self, program: Path) -> list[str]:
        """Return the Java command without the server's arguments."""
        jars = self._jar().parent
        classes = f"{jars.parent / 'server.jar'}:{jars}/*"
        settings = [f"-Xmx{self.memory}", *(f"-D{it}" for it in self.properties)]
        return [str(program), *settings, "--class-path", classes, self.main]

    def _jar(self) -> Path:
        built = Path.home() / ".cache" / "lasthop" / "java"
        found = sorted(built.glob(f"{self.name}-*/dependency/{self.library}-*.jar"))
        if not found or not (found[-1].parents[1] / "server.jar").exists():
            brings = f"mvn -q -f {_SOURCES / self.name} package"
            message = (
                f"{self.name}: the library {self.library} is missing; "
                f"apt-get install maven default-jdk-headless, then {brings}"
            )
            raise EnvironmentFailure(message)
        return found[-1]
