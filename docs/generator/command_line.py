"""The commands, read from Typer as `--help` reads them."""

from __future__ import annotations

from typing import Any

import typer
from rich.markup import render

from docs.generator.markdown import code, table
from lasthop.cli.application import app


def commands() -> str:
    """Write a section for each command."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="lasthop")
    return "\n\n".join(
        _section(group.get_command(context, name), context) for name in group.list_commands(context)
    )


def _section(command: Any, above: typer.Context) -> str:  # noqa: ANN401  Typer hides its class
    context = typer.Context(command, info_name=command.name, parent=above)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    arguments = [entry for entry in command.params if entry.param_type_name == "argument"]
    options = [entry for entry in command.params if entry.param_type_name == "option"]
    parts = [f"## {code(f'lasthop {command.name}')}", command.help, f"```text\n{usage}\n```"]
    if arguments:
        rows = [[code(_value(entry)), _help(entry)] for entry in arguments]
        parts.append(table(["argument", "what it is"], rows))
    if options:
        rows = [[_flag(entry), _help(entry)] for entry in options]
        parts.append(table(["option", "what it does"], rows))
    parts.append("Example:\n\n```sh\n" + command.epilog.removeprefix("Example: ") + "\n```")
    return "\n\n".join(parts)


def _flag(option: Any) -> str:  # noqa: ANN401
    names = ", ".join(option.opts)
    return code(names if option.is_flag else f"{names} {_value(option)}")


def _value(parameter: Any) -> str:  # noqa: ANN401
    return str(parameter.metavar or "TEXT")


def _help(parameter: Any) -> str:  # noqa: ANN401
    """Give the help as Typer shows it: without escapes, and with the default."""
    text = render(parameter.help).plain
    default = parameter.default
    if default in (None, "", ()) or getattr(parameter, "is_flag", False):
        return text
    return (
        f"{text} Default: {default:g}."
        if isinstance(default, float)
        else f"{text} Default: {default}."
    )
