"""What options are called: short names, panels of the help, and the names that they once had."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

SHORT = {"--out": "-o"}

PANELS = {
    "Answer": "at efficiency metric on from what-if potential details focus group-by factor variant show "
    "last totals linear least steps price cores-per-node isoefficiency function loop time clock from-clock",
    "Limits": "deadline budget memory-per-node energy",
    "Compared with": "baseline history paired-with machine",
    "Verdict": "common allow-missing detect expect",
    "Selection": "max-overhead protect drop protect-growing paper-exact applied merge",
    "Other uses": "explain apply verify propose list",
    "Models": "parameter scaling per without hold-out exclude-metrics prior method",
    "Overhead": "overhead event-cost baseline-time calibrate",
    "Reading": "config jobs strict engine scheduler source-root llvm-mca",
    "Output": "out to form abridge whole-files by limit format json junit sarif markdown code-quality "
    "png svg",
}
"""The options of every panel of the help; an option means the same in every command."""

OLD_NAMES = {
    "--output": ("--out", "--history"),
    "--html": ("--out",),
    "--roofline": ("--out",),
    "--out": ("--history",),  # where the group has taken --output for it
    "--file": ("--history",),
    "-o": ("--history",),
    "--export": ("--to",),
    "--min-efficiency": ("--efficiency",),
}
"""What options are called now; of several names that which a command has."""

MEANINGS = {
    "--out": ("PATH", "Where to write"),
    "--from": ("MACHINE", "Machine measured on"),
    "--on": ("MACHINE", "Machine to predict for"),
    "--machine": ("NAME", "Name of the machine measured on"),
    "--to": (None, "Tool or format to write for"),
    "--group-by": ("NAME", "Group runs by this metadata"),
    "--history": ("FILE", "History of results over commits"),
    "--metric": ("NAME", "Metric to model or show"),
    "--budget": ("COST", "Cost at most"),
    "--efficiency": ("SHARE", "Parallel efficiency at least"),
}
"""What options mean in every command whose help says more, and what their value is called."""

_PANEL_OF = {f"--{option}": panel for panel, options in PANELS.items() for option in options.split()}
_PLACES = list(PANELS)


def panel_of(option: str) -> str | None:
    """Return the panel of the help that an option is in; None for the one without a name."""
    return _PANEL_OF.get(option)


def place_of(option: str) -> int:
    """Return a number that sorts options by the panels they are in; those without a panel come last."""
    panel = panel_of(option)
    return len(_PLACES) if panel is None else _PLACES.index(panel)


class Command(TyperCommand):
    """A command whose options may also be given by the names they once had."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # of the click inside typer
        """Read arguments."""
        return super().parse_args(ctx, _renamed(self, args))


class CommandGroup(TyperGroup):
    """As `Command`, for options before the name of a command of a group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # of the click inside typer
        """Read arguments."""
        return super().parse_args(ctx, _renamed(self, args))


def _renamed(command: TyperCommand | TyperGroup, arguments: list[str]) -> list[str]:
    """Return arguments with the names that a command's options have now, up to ``--``."""
    known = {name for parameter in command.params for name in parameter.opts}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    found = []
    for argument in arguments[:end]:
        name, equals, value = argument.partition("=")
        now = [] if name in known else [one for one in OLD_NAMES.get(name, ()) if one in known]
        found.append("".join((now[0], equals, value)) if now else argument)
    return [*found, *arguments[end:]]
