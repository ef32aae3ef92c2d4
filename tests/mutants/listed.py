"""Defects that passed the tests once; each stays caught."""

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.operators import Defect, position


@dataclass(frozen=True)
class Listed:
    """A defect by its text.

    Attributes:
        what: the defect in words.
        path: the file.
        old: text that occurs once in it.
        new: what replaces it.
    """

    what: str
    path: str
    old: str
    new: str


LISTED = (
    Listed(
        "configuration ignored on reuse",
        "pipeline/store/results.py",
        'found["configuration"] == json.loads(json.dumps(configuration))',
        "True",
    ),
    Listed(
        "`at` forgotten on reuse",
        "pipeline/config/options.py",
        """        read=read_targets,
    )""",
        """        read=read_targets,
        recompute=False,
    )""",
    ),
    Listed(
        "inconclusive call paths reported as unchanged",
        "pipeline/gate/verdicts.py",
        """
        and r.kernel.region in decided""",
        "",
    ),
    Listed(
        "between-job variance ignored",
        "pipeline/gate/ratios.py",
        "np.sqrt(variance * between)",
        "np.sqrt(variance)",
    ),
    Listed(
        "Satterthwaite cap dropped",
        "pipeline/gate/ratios.py",
        "np.minimum(np.minimum(freedom, limit), CERTAIN)",
        "np.minimum(freedom, CERTAIN)",
    ),
    Listed(
        "drift ignored in quantiles",
        "pipeline/models/scaling_models.py",
        "            variance += doublings * (rival * self.drift[part][pair[0], None]) ** 2\n",
        "",
    ),
    Listed(
        "price of a coefficient halved, one parameter",
        "pipeline/models/posterior.py",
        "likelihood -= 0.5 * np.log(",
        "likelihood -= 0.25 * np.log(",
    ),
    Listed(
        "price of a coefficient halved, several parameters",
        "pipeline/models/multi_parameter/search.py",
        "size / 2 * np.log(count)",
        "size / 4 * np.log(count)",
    ),
    Listed(
        "'growing' without rising",
        "pipeline/questions/bottlenecks.py",
        "(growing >= GROWING) & (rising > 1.0)",
        "growing >= GROWING",
    ),
    Listed(
        "crossover floor ignored",
        "pipeline/questions/bottlenecks.py",
        "leading >= CROSSING_SHARE * total",
        "leading >= 0.0",
    ),
    Listed(
        "minimum of merged call paths lost",
        "ingest/reduction.py",
        "total[merged], low[merged], high[merged] = _over_locations(sums)",
        "total[merged], _, high[merged] = _over_locations(sums)",
    ),
    Listed(
        "`?` matches the empty text",
        "filters/scorep_format/patterns.py",
        '"?": _Piece(".")',
        '"?": _Piece(".?")',
    ),
    Listed(
        "renames of any size",
        "pipeline/gate/matching.py",
        "similarity >= SIMILAR_NAME and _similar_size(matched, i, j)",
        "similarity >= SIMILAR_NAME",
    ),
    Listed(
        "JUnit failure count",
        "pipeline/report/check/junit.py",
        'len(suite.findall("testcase/failure"))',
        "len(suite)",
    ),
    Listed(
        "first Markdown row lost",
        "pipeline/report/check/markdown.py",
        "_table(found[:ROWS]",
        "_table(found[1:ROWS]",
    ),
)


def listed_defects(root: Path) -> list[Defect]:
    """Return the listed defects.

    Raises:
        ValueError: a text does not occur exactly once in its file.
    """
    return [_defect(root, one) for one in LISTED]


def _defect(root: Path, one: Listed) -> Defect:
    source = (root / one.path).read_text(encoding="utf-8")
    if source.count(one.old) != 1:
        raise ValueError(f"{one.path}: {one.old!r} occurs {source.count(one.old)} times")
    before, _, _ = source.partition(one.old)
    first, column = position(before)
    last, end = position(before + one.old)
    return Defect(path=one.path, line=first, what=one.what, place=(first, column, last, end), text=one.new)
