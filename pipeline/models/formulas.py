"""Models written: as people write them, as LaTeX, and as Python source."""

import keyword
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.forms import FACTOR_KINDS, FactorKind, Term, factors, leading_terms, term_values
from pipeline.models.options import NO_EXPONENT, Exponent, exponent
from pipeline.wording.quantities import BETWEEN, value_text


@dataclass(frozen=True, kw_only=True)
class _Notation:
    """How formulas are written."""

    template: Callable[[FactorKind], str]  # that of a kind of factor
    number: Callable[[float], str]  # writes the size of a coefficient
    power: Callable[[Fraction | int], str]  # writes what stands behind something to a power other than 1
    times: str  # between factors
    raised: Callable[[str, int], str]  # writes a summand to the power of the sharpness of a soft knee
    rooted: Callable[[str, int], str]  # writes the root of the sum of such summands

    def factors(self, name: str, one: Exponent) -> list[str]:
        """Write the factors that a parameter has in a term."""
        return [
            self.template(kind).format(name=name, power="" if power == 1 else self.power(power))
            for kind, power in factors(one)
        ]


def _bracketed(number: Fraction | int) -> str:
    text = str(number)
    return text if text.isdecimal() else f"({text})"


def _latex_fraction(number: Fraction | int) -> str:
    sign, size = ("-" if number < 0 else ""), abs(Fraction(number))
    whole = size.denominator == 1
    return f"{sign}{size.numerator}" if whole else rf"{sign}\frac{{{size.numerator}}}{{{size.denominator}}}"


def _latex_number(value: float) -> str:
    mantissa, exponential, power = f"{value:.4g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}" if exponential else mantissa


def _python_power(power: Fraction | int) -> str:
    """Write fractions as floating-point numbers: whole powers overflow for arrays of integers."""
    if isinstance(power, int):
        return f" ** {power}"
    whole = power.denominator == 1
    return f" ** {float(power)!r}" if whole else f" ** ({power.numerator} / {power.denominator})"


_TEXT = _Notation(
    template=lambda kind: kind.text,
    number=lambda value: f"{value:.4g}",
    power=lambda power: f"^{_bracketed(power)}",
    times=" * ",
    raised=lambda part, s: f"({part})^{s}" if " " in part else f"{part}^{s}",
    rooted=lambda total, s: f"({total})^(1/{s})",
)
_LATEX = _Notation(
    template=lambda kind: kind.latex,
    number=_latex_number,
    power=lambda power: f"^{{{_latex_fraction(power)}}}",
    times=r" \cdot ",
    raised=lambda part, s: rf"\left({part}\right)^{{{s}}}",
    rooted=lambda total, s: rf"\left({total}\right)^{{\frac{{1}}{{{s}}}}}",
)
_PYTHON = _Notation(
    template=lambda kind: kind.python,
    number=repr,
    power=_python_power,
    times=" * ",
    raised=lambda part, s: f"({part}) ** {s}",
    rooted=lambda total, s: f"({total}) ** (1 / {s})",
)


@dataclass(frozen=True, kw_only=True)
class Formula:
    """One model in the unit of the data: constant + sum of coefficient * term.

    With a sharpness s beyond 1 it is a soft knee, (constant^s + sum of (coefficient * term)^s)^(1/s).
    """

    parameters: tuple[str, ...]
    constant: float
    terms: tuple[tuple[float, Term], ...]  # coefficients and terms
    sharpness: int = 1  # s

    @property
    def growth(self) -> str:
        """The leading behaviour, as of `growth_text`, by the terms that rise."""
        return growth_text(self.parameters, [term for coefficient, term in self.terms if coefficient > 0])

    def text(self) -> str:
        """Return the model as people write it: ``12.1 + 0.034 * p^(3/2) * log2(p)``, four significant digits.

        Terms with a coefficient of exactly zero are left out, as is a zero constant beside other terms.
        """
        return self._written(_TEXT, self.parameters)

    def latex(self) -> str:
        r"""Return the same as LaTeX for math mode: ``12.1 + 0.034 \cdot p^{\frac{3}{2}}``."""
        return self._written(_LATEX, tuple(map(_latex_name, self.parameters)))

    def python(self, arguments: Sequence[str]) -> str:
        """Return the same as a Python expression of numpy over the arguments, in full precision."""
        return self._written(_PYTHON, tuple(arguments))

    def over(self, factor: float, columns: Collection[int]) -> "Formula":
        """Return the formula divided by a factor and by the parameters of some columns."""
        nothing: Term = (NO_EXPONENT,) * len(self.parameters)
        divided = [
            (value / factor, tuple((e[0] - 1, *e[1:]) if d in columns else e for d, e in enumerate(one)))
            for value, one in ((self.constant, nothing), *self.terms)
            if value
        ]
        return replace(
            self,
            constant=sum((value for value, one in divided if one == nothing), 0.0),
            terms=tuple(pair for pair in divided if pair[1] != nothing),
        )

    def values(self, points: FloatArray) -> FloatArray:
        """Return the values at points float64[Q, D], float64[Q]."""
        s = self.sharpness
        shapes = term_values([term for _, term in self.terms], points) ** s
        powered = self.constant**s + shapes @ np.array([c**s for c, _ in self.terms])
        return np.asarray(powered if s == 1 else np.maximum(powered, 0.0) ** (1 / s))

    def _written(self, notation: _Notation, names: tuple[str, ...]) -> str:
        nothing = (NO_EXPONENT,) * len(names)
        parts = [(c, term) for c, term in ((self.constant, nothing), *self.terms) if c != 0]
        texts = [
            (c, notation.times.join([notation.number(abs(c)), *_factors_of(notation, names, term)]))
            for c, term in parts or [(self.constant, nothing)]
        ]
        if self.sharpness == 1 or len(texts) == 1:
            return _sum(texts)
        powers = [(c, notation.raised(text, self.sharpness)) for c, text in texts]
        return notation.rooted(_sum(powers), self.sharpness)


@lru_cache(maxsize=4096)  # many kernels, few terms
def _factors_of(notation: _Notation, names: tuple[str, ...], term: Term) -> tuple[str, ...]:
    return tuple(text for name, one in zip(names, term, strict=True) for text in notation.factors(name, one))


def _sum(parts: Sequence[tuple[float, str]]) -> str:
    """Join numbers and their texts with the signs of the numbers."""
    first, text = parts[0]
    rest = "".join(f" {'-' if c < 0 else '+'} {part}" for c, part in parts[1:])
    return f"{'-' if first < 0 else ''}{text}{rest}"


def term_text(parameters: tuple[str, ...], term: Term) -> str:
    """Return the product of a term's factors, ``p^(3/2) * log2(p)``; ``1`` for the empty product."""
    return _TEXT.times.join(_factors_of(_TEXT, parameters, term)) or "1"


def growth_text(parameters: tuple[str, ...], terms: Sequence[Term]) -> str:
    """Return the leading behaviour: ``1``, ``log2(p)``, ``p^(3/2)``, ``x^2 + y``."""
    return " + ".join(term_text(parameters, t) for t in leading_terms(terms)) or "1"


_NAME, _POWER = r"[A-Za-z_]\w*", r"(?:\^(?:\(([\d./]+)\)|([\d.]+)))?"

GROWTH_HINT = 'write it like "1", "log2(p)", "p^(1/2)" or "p * log2(p)^2"'


def read_growth(text: str) -> Exponent | None:
    """Read what `term_text` writes of one parameter, ``constant`` and decimals; None for anything else."""
    plain = text.replace(" ", "")
    parts = [] if plain in ("1", "constant") else plain.split("*")
    powers: list[str] = []
    for kind in FACTOR_KINDS:
        pattern = re.escape(kind.text.format(name="\0", power="\1")).replace("log2", "log2?")
        pattern = pattern.replace(re.escape("\0"), _NAME).replace(re.escape("\1"), _POWER)
        match = re.fullmatch(pattern, parts[0]) if parts else None
        powers.append((match[1] or match[2] or "1") if match else "0")
        parts = parts[1:] if match else parts
    try:
        return None if parts else exponent(*powers)
    except (ValueError, ZeroDivisionError):
        return None


def read_growths(text: str) -> dict[str, Exponent] | None:
    """Read a product over parameters, such as ``n^2 * log2(p)``, each as `read_growth` does.

    A constant has no parameters; None for anything else.
    """
    if read_growth(text) == NO_EXPONENT:
        return {}
    parts: dict[str, list[str]] = {}
    for factor in text.split("*"):
        name = re.search(rf"({_NAME})\)*\s*(?:\^.*)?$", factor)
        parts.setdefault(name[1] if name else "", []).append(factor)
    found = {name: read_growth("*".join(factors)) for name, factors in parts.items()}
    known = {name: one for name, one in found.items() if name and one is not None}
    return known if len(known) == len(found) else None


def identifier(text: str) -> str:
    """Return a Python identifier that resembles a text."""
    name = re.sub(r"\W+", "_", text).strip("_") or "model"
    if name[0].isdigit() or keyword.iskeyword(name) or name == "np":
        return f"_{name}"
    return name


_SPECIAL_IN_LATEX = re.compile(r"[#$%&_{}]")
_UNPRINTABLE_IN_LATEX = re.compile(r"[\\^~]")


@lru_cache(maxsize=256)
def _latex_name(name: str) -> str:
    """Return a parameter's name for the math mode of LaTeX."""
    plain = _UNPRINTABLE_IN_LATEX.sub("", name)
    escaped = _SPECIAL_IN_LATEX.sub(lambda match: f"\\{match[0]}", plain)
    return escaped if len(name) == 1 else rf"\mathrm{{{escaped}}}"


@dataclass(frozen=True, eq=False, kw_only=True)
class FormulaRange:
    """Where formulas agree with predictions: a box, or of several parameters one line in it."""

    # first, last: float64[D], the smallest and the largest value of each parameter
    first: FloatArray
    last: FloatArray
    column: int  # the parameter that scales, along which lines lie and pieces follow one another

    @property
    def dimensions(self) -> int:
        """How many parameters vary."""
        return int((self.first < self.last).sum())

    @property
    def line(self) -> "FormulaRange":
        """The line through the far end, along the parameter that scales."""
        first = self.last.copy()
        first[self.column] = self.first[self.column]
        return FormulaRange(first=first, last=self.last, column=self.column)

    @property
    def key(self) -> bytes:
        """Equal for equal ranges."""
        return b"%d:" % self.column + self.first.tobytes() + self.last.tobytes()


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionFormula:
    """The formula of one kernel's prediction."""

    within: FormulaRange  # where it agrees with the prediction
    pieces: tuple[Formula, ...]  # normal forms along the parameter that scales, mostly one
    # the largest value of that parameter of each piece but the last, of six digits at most
    ends: tuple[float, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the D parameters."""
        return self.pieces[0].parameters

    @property
    def last(self) -> Formula:
        """The normal form at the far end of the range."""
        return self.pieces[-1]

    @cached_property
    def growth(self) -> str:
        """The leading behaviour at the far end, as of `Formula.growth`."""
        return self.last.growth

    @property
    def fixed(self) -> tuple[int, ...]:
        """The parameters of several that have one value."""
        if len(self.parameters) == 1:
            return ()
        return tuple(np.flatnonzero(self.within.first == self.within.last).tolist())

    def text(self) -> str:
        """Return the formula as people write it: ``3 * p for p <= 8, 9 * p^2 above``."""
        return self._text

    @cached_property
    def _text(self) -> str:
        name, *parts = self.parameters[self.within.column], *(piece.text() for piece in self.pieces)
        ends = (f" for {name} <= {end:g}" for end in self.ends)
        text = ", ".join(
            part + end for part, end in zip(parts, [*ends, " above" * bool(self.ends)], strict=True)
        )
        at = ", ".join(f"{self.parameters[d]} = {value_text(self.within.last[d])}" for d in self.fixed)
        return f"{text} at {at}" if at else text

    @property
    def range_text(self) -> str:
        """Where it holds: ``p = 1 .. 32, n = 6``."""
        return _range_text(self.parameters, self.within)

    def latex(self) -> str:
        r"""Return the formula with its range as LaTeX for math mode: ``3 \cdot p, \quad 1 \le p \le 32``."""
        names = [_latex_name(name) for name in self.parameters]
        text, name = self.last.latex(), names[self.within.column]
        if self.ends:
            rows = [
                rf"{piece.latex()} & {name} \le {end:g}"
                for piece, end in zip(self.pieces, self.ends, strict=False)
            ]
            rows.append(rf"{text} & {name} > {self.ends[-1]:g}")
            text = r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
        return rf"{text}, \quad {_latex_range(self.parameters, self.within)}"

    def python(self, name: str, description: str) -> str:
        """Return the text of a Python function of the parameters that vary, numbers or arrays.

        What cannot be in an identifier becomes ``_`` in its name, as in those of parameters. The description
        is one line without a full stop; the range follows it.
        """
        names = [identifier(parameter) for parameter in self.parameters]
        arguments = [f"{one}_{i}" if names.count(one) > 1 else one for i, one in enumerate(names, 1)]
        varying = [one for d, one in enumerate(arguments) if d not in self.fixed]
        docstring = f"{description}, for {self.range_text}.".replace("\\", r"\\").replace('"', r"\"")
        along = arguments[self.within.column]
        text = self.last.python(arguments)
        for piece, end in zip(self.pieces[-2::-1], self.ends[::-1], strict=True):
            text = f"np.where({along} <= {end:g}, {piece.python(arguments)}, {text})"
        return (
            "import numpy as np\n\n\n"
            f"def {identifier(name)}({', '.join(varying or arguments)}):\n"
            f'    """{docstring}"""\n'
            f"    return {text}\n"
        )

    def values(self, points: FloatArray) -> FloatArray:
        """Return the values at points float64[Q, D], float64[Q]."""
        place = np.searchsorted(self.ends, points[:, self.within.column])
        every = [piece.values(points) for piece in self.pieces]
        return np.asarray(np.choose(place, every)) if len(every) > 1 else every[0]


@lru_cache(maxsize=16)  # that of all kernels of a study
def _range_text(parameters: tuple[str, ...], within: FormulaRange) -> str:
    ends = zip(parameters, within.first.tolist(), within.last.tolist(), strict=True)
    return ", ".join(
        f"{name} = {value_text(low)}" + (f"{BETWEEN}{value_text(high)}" if low < high else "")
        for name, low, high in ends
    )


@lru_cache(maxsize=16)
def _latex_range(parameters: tuple[str, ...], within: FormulaRange) -> str:
    ends = zip(map(_latex_name, parameters), within.first.tolist(), within.last.tolist(), strict=True)
    where = (
        rf"{low:.6g} \le {one} \le {high:.6g}" if low < high else f"{one} = {low:.6g}"
        for one, low, high in ends
    )
    return r",\; ".join(where)
