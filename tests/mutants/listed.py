"""Defects that passed the tests once; each stays caught."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.operators import Defect, position
from tests.mutants.sample import product_files


@dataclass(frozen=True)
class Listed:
    """A defect by its text.

    Attributes:
        what: the defect in words.
        old: text that occurs once in the product, wherever that is.
        new: what replaces it.
    """

    what: str
    old: str
    new: str


LISTED = (
    Listed(
        "configuration ignored on reuse",
        'found["configuration"] == json.loads(json.dumps(configuration))',
        "True",
    ),
    Listed(
        "`at` forgotten on reuse",
        "_repeated(TARGET_HELP, TARGET_METAVAR, read_targets)",
        "option((), TARGET_HELP, commands=_RUN, metavar=TARGET_METAVAR, given=list[str], read=read_targets, "
        "recompute=False)",
    ),
    Listed(
        "inconclusive call paths reported as unchanged",
        """
        and r.kernel.region in decided""",
        "",
    ),
    Listed(
        "between-job variance ignored",
        "np.sqrt(variance * between)",
        "np.sqrt(variance)",
    ),
    Listed(
        "Satterthwaite cap dropped",
        "np.minimum(np.minimum(freedom, limit), CERTAIN)",
        "np.minimum(freedom, CERTAIN)",
    ),
    Listed(
        "drift ignored in quantiles",
        "            variance = variance + doublings * (center * drift) ** 2\n",
        "",
    ),
    Listed(
        "price of a coefficient halved, one parameter",
        "likelihood -= 0.5 * np.log(",
        "likelihood -= 0.25 * np.log(",
    ),
    Listed(
        "price of a coefficient halved, several parameters",
        "size / 2 * np.log(count)",
        "size / 4 * np.log(count)",
    ),
    Listed(
        "'growing' without rising",
        "(growing >= GROWING) & (rising > 1.0)",
        "growing >= GROWING",
    ),
    Listed(
        "crossover floor ignored",
        "matters = values[past] >= LEADING_SHARE * total",
        "matters = values[past] >= 0.0",
    ),
    Listed(
        "minimum of merged call paths lost",
        "total[merged], low[merged], high[merged] = _over_locations(sums)",
        "total[merged], _, high[merged] = _over_locations(sums)",
    ),
    Listed(
        "`?` matches the empty text",
        '"?": _Piece(".")',
        '"?": _Piece(".?")',
    ),
    Listed(
        "renames of any size",
        "similarity >= _SIMILAR_NAME and _same_size(before, now, _SIMILAR_SIZE)",
        "similarity >= _SIMILAR_NAME",
    ),
    Listed(
        "JUnit failure count",
        'len(suite.findall("testcase/failure"))',
        "len(suite)",
    ),
    Listed(
        "first Markdown row lost",
        "_table(found[:_ROWS]",
        "_table(found[1:_ROWS]",
    ),
    Listed(
        "width of a campaign's answer",
        "return (self.upper - self.lower) / self.value",
        "return (self.upper + self.lower) / self.value",
    ),
    Listed(
        "other files beside reports of ranks",
        "in _ENDINGS and file.is_file()",
        "in _ENDINGS or file.is_file()",
    ),
    Listed(
        "bends of any trend",
        "abs(slopes[1] - slopes[0])",
        "abs(slopes[1] + slopes[0])",
    ),
)


def listed_defects(root: Path) -> list[Defect]:
    """Return the listed defects.

    Raises:
        ValueError: a text does not occur exactly once.
    """
    sources = {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in product_files(root)}
    return [_defect(sources, one) for one in LISTED]


def _defect(sources: Mapping[str, str], one: Listed) -> Defect:
    places = [path for path, source in sources.items() for _ in range(source.count(one.old))]
    if len(places) != 1:
        raise ValueError(f"{one.old!r} occurs {len(places)} times")
    (path,) = places
    before, _, _ = sources[path].partition(one.old)
    first, column = position(before)
    last, end = position(before + one.old)
    return Defect(path=path, line=first, what=one.what, place=(first, column, last, end), text=one.new)
