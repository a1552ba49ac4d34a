"""The figures and tables of a paper: what each shows, and which runs of a study show it again."""

from lasthop.study.figures.check import Drawable
from lasthop.study.figures.figure import PaperFigure, PaperFigures
from lasthop.study.figures.load import figures_of, read_figures

__all__ = ["Drawable", "PaperFigure", "PaperFigures", "figures_of", "read_figures"]
