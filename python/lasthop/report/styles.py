"""Colours and marks: each stack keeps its own in every figure, each cause of bytes too."""

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["light", "dark"]

STACK_COLOURS: Mapping[Mode, tuple[str, ...]] = {
    # After Okabe and Ito; darkened or lightened until each has a contrast of 3 to its background.
    "light": (
        "#0072b2",
        "#d55e00",
        "#00875f",
        "#b5478a",
        "#a67500",
        "#2f8fc4",
        "#6a51a3",
        "#6e6e6e",
    ),
    "dark": (
        "#5aaee6",
        "#ff9050",
        "#35cf9f",
        "#ef9fcb",
        "#f0b93a",
        "#a5d8ff",
        "#b9a7ee",
        "#b4b4b4",
    ),
}
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (7, 4), (14, 3), (9, 3, 2, 3))
"""None are dots, which lead to an overload."""

LAYERS = ("ip", "udp", "tcp", "tls", "dtls", "quic", "websocket", "application")
CAUSES = (
    "payload",
    "header",
    "acknowledgement",
    "retransmission",
    "session_set_up",
    "session_resumption",
    "session_resumption_early",
    "certificates",
    "authorisation",
    "post_quantum_share",
    "address_validation",
    "session_tear_down",
    "keep_alive",
    "padding",
    "path_probe",
    "opaque",
)
LEDGER_KEYS = tuple((layer, cause) for cause in CAUSES for layer in LAYERS)

# Hue in degrees and saturation of each cause; a layer changes the lightness.
_CAUSE_HUES = {
    "payload": (206, 0.75),
    "header": (215, 0.10),
    "acknowledgement": (163, 0.65),
    "retransmission": (22, 0.90),
    "session_set_up": (265, 0.50),
    "session_resumption": (250, 0.65),
    "session_resumption_early": (235, 0.60),
    "certificates": (292, 0.55),
    "authorisation": (305, 0.65),
    "post_quantum_share": (340, 0.60),
    "address_validation": (185, 0.55),
    "session_tear_down": (320, 0.50),
    "keep_alive": (45, 0.85),
    "padding": (30, 0.25),
    "path_probe": (90, 0.45),
    "opaque": (0, 0.0),
}
# Layers that occur together are far apart.
_LAYER_LIGHTNESS = {
    "ip": 0.28,
    "udp": 0.42,
    "tcp": 0.42,
    "tls": 0.54,
    "dtls": 0.54,
    "quic": 0.54,
    "websocket": 0.60,
    "application": 0.68,
}
_DARK_LIFT = 0.14

# The hue, saturation and lightness of each; those of the ledger where they mean the same.
_ENERGY_COLOURS = {
    "payload": (206, 0.75, 0.45),
    "acknowledgement": (163, 0.65, 0.40),
    "signalling": (265, 0.50, 0.55),
    "random_access": (22, 0.90, 0.48),
    "waiting": (45, 0.85, 0.52),
    "synchronisation": (30, 0.30, 0.38),
    "cell_search": (340, 0.70, 0.45),
    "attach": (285, 0.35, 0.40),
    "paging": (320, 0.50, 0.62),
    "module": (0, 0.45, 0.55),
    "sleep": (215, 0.10, 0.58),
}
ENERGY_CAUSES = tuple(_ENERGY_COLOURS)
"""In the order of the bars, what carries the message first."""


@dataclass(frozen=True, slots=True)
class StackStyle:
    """How a stack is drawn.

    Parameters
    ----------
    colour : int
        The place in ``STACK_COLOURS``.
    shape : str
        The Vega symbol of its points.
    dash : tuple of int
        The dash pattern of its lines, in pixels.
    """

    colour: int
    shape: str
    dash: tuple[int, ...]


def stack_styles(stacks: Sequence[str]) -> dict[str, StackStyle]:
    """Give each stack a style by its place in the study; 56 stacks have one of their own.

    Examples
    --------
    >>> stack_styles(["json_udp", "raw_udp"])["raw_udp"].shape
    'square'
    """
    colours = len(STACK_COLOURS["light"])
    return {
        stack: StackStyle(
            colour=place % colours,
            shape=SHAPES[place % len(SHAPES)],
            # Shifted in each round of colours, so that colour and dash together tell 32 apart.
            dash=DASHES[(place + place // colours) % len(DASHES)],
        )
        for place, stack in enumerate(stacks)
    }


def ledger_colours(mode: Mode) -> list[str]:
    """Return the colour of each of ``LEDGER_KEYS``, then that of all others."""
    named = [_ledger_colour(layer, cause, mode) for layer, cause in LEDGER_KEYS]
    return [*named, _ledger_colour("udp", "opaque", mode)]


def energy_colours(mode: Mode) -> list[str]:
    """Return the colour of each of ``ENERGY_CAUSES``."""
    return [_colour(*_ENERGY_COLOURS[cause], mode) for cause in ENERGY_CAUSES]


def _ledger_colour(layer: str, cause: str, mode: Mode) -> str:
    return _colour(*_CAUSE_HUES[cause], _LAYER_LIGHTNESS[layer], mode)


def _colour(hue: float, saturation: float, lightness: float, mode: Mode) -> str:
    lifted = lightness + (_DARK_LIFT if mode == "dark" else 0.0)
    channels = colorsys.hls_to_rgb(hue / 360, lifted, saturation)
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)
