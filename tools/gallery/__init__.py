"""The gallery of the papers' tables and figures."""

from tools.gallery import paper_000, paper_001

PAPERS = (paper_000.PAPER, paper_001.PAPER)
