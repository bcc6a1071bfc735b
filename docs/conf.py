"""How the pages are built: ``make docs``, warnings as errors."""

import re
import sys
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

sys.path.insert(0, str(Path(__file__).parents[1]))  # the benchmarks, whose results the pages quote
from benchmarks import _results

project, author = "ecoc", "The ecoc developers"
copyright = author
release = version = installed("ecoc")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
]
exclude_patterns = ["build", "auto_examples/*.ipynb", "auto_examples/*.py", "sg_execution_times.rst", "README.md"]
templates_path = ["_templates"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False  # the class template lists them
numpydoc_xref_param_type = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("ecoc",),
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "image_scrapers": ("matplotlib",),
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "ecoc"
html_static_path = ["_static"]
html_css_files = ["ecoc.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "ecoc"},
    "navigation_with_keys": False,
    "show_prev_next": True,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"start": [], "when": [], "findings": []}
html_math_renderer = "mathml"


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def _skip(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """scikit-learn adds methods for metadata routing to every estimator; its own pages tell about them."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


class Measured(SphinxRole):
    """A figure from benchmarks/results by its name; an unknown or outdated one fails the build."""

    def run(self) -> tuple[list[nodes.Node], list[Any]]:
        """Return the figure as text."""
        try:
            return [nodes.Text(_results.figure(self.text))], []
        except LookupError as error:
            logging.getLogger(__name__).warning(str(error), location=self.get_location())
            return [], []


class MeasuredTable(SphinxDirective):
    """A table from benchmarks/results: ``NAME: TITLE``, or ``NAME`` for its goals."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        try:
            lines = _results.table(" ".join(self.content)).splitlines()
        except LookupError as error:
            logging.getLogger(__name__).warning(str(error), location=self.get_location())
            return []
        found = nodes.container()
        self.state.nested_parse(StringList(lines, "results"), 0, found)
        return [found]


def setup(app: Any) -> None:
    """Formulas as MathML, which browsers draw by themselves: no script, no network."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("autodoc-skip-member", _skip)
    app.add_role("measured", Measured())
    app.add_directive("measured", MeasuredTable)
