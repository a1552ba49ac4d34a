"""Colours and marks: told apart by everyone, on a light and on a dark page."""

import math

import pytest

from lasthop.report.styles import STACK_COLOURS, Mode, stack_styles
from lasthop.report.themes import INKS

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
DEUTERANOPIA = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
PROTANOPIA = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

Colour = tuple[float, float, float]


def linear(colour: str) -> Colour:
    """Return the linear RGB of a hexadecimal colour."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return red, green, blue


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG defines it."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio as WCAG defines it."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, vision: tuple[Colour, Colour, Colour]) -> Colour:
    """Return the CIELAB of a colour as such an eye sees it."""
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear(colour), strict=True))))
        for row in vision
    )
    white = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in white
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_stack_colours_stand_out_from_the_card(mode: Mode) -> None:
    for colour in STACK_COLOURS[mode]:
        assert contrast(colour, INKS[mode].card) >= 3


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read_on_page_and_card(mode: Mode) -> None:
    inks = INKS[mode]
    for ink in (inks.text, inks.quiet):
        assert contrast(ink, inks.page) >= 4.5
        assert contrast(ink, inks.card) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("vision", [NORMAL, DEUTERANOPIA, PROTANOPIA])
def test_the_first_four_stack_colours_differ_for_colour_blind_eyes(
    mode: Mode, vision: tuple[Colour, Colour, Colour]
) -> None:
    colours = STACK_COLOURS[mode][:4]
    for place, first in enumerate(colours):
        for second in colours[place + 1 :]:
            assert math.dist(lab(first, vision), lab(second, vision)) >= 10


def test_fifty_six_stacks_have_a_style_of_their_own() -> None:
    stacks = [f"stack {number}" for number in range(56)]
    styles = stack_styles(stacks).values()
    assert len({(style.colour, style.shape) for style in styles}) == len(stacks)


def test_thirty_two_stacks_have_a_line_of_their_own() -> None:
    styles = stack_styles([f"stack {number}" for number in range(32)]).values()
    assert len({(style.colour, style.dash) for style in styles}) == 32
