"""The formula of what is predicted for a kernel: one normal form, or several in sequence, with its range."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.formulas import Formula, identifier, latex_name
from pipeline.wording.quantities import BETWEEN, value_text


@dataclass(frozen=True, eq=False, kw_only=True)
class FormulaRange:
    """Where formulas agree with predictions: a box, or of several parameters one line in it.

    Attributes:
        first, last: float64[D], the smallest and the largest value of each parameter.
        column: the parameter that scales, along which lines lie and pieces follow one another.
    """

    first: FloatArray
    last: FloatArray
    column: int

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
    """The formula of one kernel's prediction.

    Attributes:
        within: where it agrees with the prediction.
        pieces: normal forms along the parameter that scales, mostly one.
        ends: the largest value of that parameter of each piece but the last, of six digits at most.
    """

    within: FormulaRange
    pieces: tuple[Formula, ...]
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
        ends = zip(self.parameters, self.within.first.tolist(), self.within.last.tolist(), strict=True)
        return ", ".join(
            f"{name} = {value_text(low)}" + (f"{BETWEEN}{value_text(high)}" if low < high else "")
            for name, low, high in ends
        )

    def latex(self) -> str:
        r"""Return the formula with its range as LaTeX for math mode: ``3 \cdot p, \quad 1 \le p \le 32``."""
        names = [latex_name(name) for name in self.parameters]
        text, name = self.last.latex(), names[self.within.column]
        if self.ends:
            rows = [
                rf"{piece.latex()} & {name} \le {end:g}"
                for piece, end in zip(self.pieces, self.ends, strict=False)
            ]
            rows.append(rf"{text} & {name} > {self.ends[-1]:g}")
            text = r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
        ends = zip(names, self.within.first.tolist(), self.within.last.tolist(), strict=True)
        where = [
            rf"{low:.6g} \le {one} \le {high:.6g}" if low < high else f"{one} = {low:.6g}"
            for one, low, high in ends
        ]
        return rf"{text}, \quad " + r",\; ".join(where)

    def python(self, name: str, description: str) -> str:
        """Return the text of a Python function of the parameters that vary, numbers or arrays.

        Args:
            name: of the function; what cannot be in an identifier becomes ``_``, as in those of parameters.
            description: the docstring, one line without a full stop; the range follows it.
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
