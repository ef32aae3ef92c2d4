"""Write the gallery, docs/gallery: ``python -m tools.gallery``."""

from tools.gallery import PAPERS
from tools.gallery.page import ROOT, written

for paper in PAPERS:
    for name, content in written(paper).items():
        (ROOT / "docs" / "gallery" / name).write_bytes(content)
