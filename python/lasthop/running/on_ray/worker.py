"""The code that a Ray worker runs."""

# ruff: noqa: PLC0415  (imported on the worker)


def worker_class() -> type:
    """Return the class of workers.

    It is made in a function so that it travels as code and not as the name of a module: then a
    machine without lasthop, or with another one, can say so.
    """

    class Worker:
        """A worker process with a folder for data that does not fit into memory."""

        def __init__(self, folder: str | None) -> None:
            self._folder = folder

        def installed(self) -> tuple[str, str | None]:
            import platform

            machine = platform.node()
            try:
                from lasthop.version import __version__
            except ImportError:
                return machine, None
            try:
                from lasthop.results.build import this_build

                return machine, this_build()
            except ImportError:
                return machine, __version__

        def run(self, run_id: str, spec_json: str) -> bytes:
            from lasthop.running.on_ray.worker import part_of

            return part_of(run_id, spec_json, folder=self._folder)

    return Worker


def part_of(run_id: str, spec_json: str, *, folder: str | None) -> bytes:
    """Simulate a run and return its encoded part.

    What has no room in memory meanwhile is below `folder`, without one below that of the machine.
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from lasthop.results.part import encode_part
    from lasthop.running.engine import NativeEngine
    from lasthop.running.finishing import finish

    engine = NativeEngine()
    with TemporaryDirectory(prefix="lasthop-", dir=folder) as own_folder:
        finished = finish(
            run_id,
            spec_json,
            engine=engine,
            switch=engine.switch(),
            captures={},
            messages=Path(own_folder, "messages.tmp"),
        )
        return encode_part(finished.header, finished.streams)
