"""How Sphinx builds the site: `make docs`."""

project = "lasthop"
author = "The lasthop developers"
copyright = "The lasthop developers, Apache-2.0 OR MIT"  # noqa: A001  Sphinx calls it so
extensions = ["myst_parser"]
exclude_patterns = ["generator"]
smartquotes = False  # they would make a dash of "--set"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "lasthop"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = "#"
pygments_style = "tango"
pygments_dark_style = "github-dark"
