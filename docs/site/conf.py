"""How Sphinx makes the site of these documents; script/site calls it on a copy of the tree, in which man/ has been
turned into Markdown."""

project = "heapflame"
copyright = "the heapflame authors"  # Sphinx calls it so

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
include_patterns = ["*.md", "docs/**.md", "man/*.md", "examples/**.md"]
exclude_patterns = ["docs/site"]
myst_heading_anchors = 4  # links to headings, as code hosts make them

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
smartquotes = False  # "--base" must stay as it is
