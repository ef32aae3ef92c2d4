"""Write the gallery, docs/gallery, or pages of it: ``python -m tools.gallery [NUMBER ...]``."""

import sys

from tools.gallery import PAPERS
from tools.gallery.asking import ROOT
from tools.gallery.page import front, written

FOLDER = ROOT / "docs" / "gallery"

for paper in PAPERS:
    if len(sys.argv) > 1 and paper.number not in sys.argv[1:]:
        continue
    for old in FOLDER.glob(f"{paper.number}-*.svg"):
        old.unlink()
    for name, content in written(paper).items():
        (FOLDER / name).write_bytes(content)
(FOLDER / "index.md").write_text(front(PAPERS, FOLDER))
