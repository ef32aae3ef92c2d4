"""The gallery of the papers' tables and figures."""

from tools.gallery import paper_000

PAPERS = (paper_000.PAPER,)
