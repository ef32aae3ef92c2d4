"""The gallery of the papers' tables and figures."""

from tools.gallery import paper_000, paper_001, paper_002, paper_003, paper_004

PAPERS = (paper_000.PAPER, paper_001.PAPER, paper_002.PAPER, paper_003.PAPER, paper_004.PAPER)
