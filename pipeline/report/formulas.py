"""Models as source text for other programs: LaTeX and Python."""

import keyword
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from pipeline.models.normal_form import Exponent, Term

WeightedTerm = tuple[float, Term]

_SPECIAL_IN_LATEX = re.compile(r"[#$%&_{}]")
_UNPRINTABLE_IN_LATEX = re.compile(r"[\\^~]")


def latex_formula(
    parameters: Sequence[str], constant: float, terms: Sequence[WeightedTerm], sharpness: int = 1
) -> str:
    r"""Return a model as LaTeX for math mode: ``12.1 + 0.034 \cdot p^{\frac{3}{2}} \cdot \log_{2}(p)``.

    Coefficients have four significant digits, as in the formula that is shown.
    """
    names = [_latex_name(name) for name in parameters]
    parts = _summands(
        constant, terms, _latex_number, lambda term: _factors(names, term, _latex_factors), r" \cdot "
    )
    if sharpness == 1 or len(parts) == 1:
        return _sum(parts)
    powers = [(c, rf"\left({part}\right)^{{{sharpness}}}") for c, part in parts]
    return rf"\left({_sum(powers)}\right)^{{\frac{{1}}{{{sharpness}}}}}"


def python_function(
    name: str,
    parameters: Sequence[str],
    constant: float,
    terms: Sequence[WeightedTerm],
    description: str,
    sharpness: int = 1,
) -> str:
    """Return a model as the text of a Python function of its parameters, which are numbers or arrays.

    Args:
        name: of the function; what cannot be in an identifier becomes ``_``.
        parameters: their names, which become arguments in the same way.
        constant: of the model.
        terms: of the model with their coefficients, which are written in full precision.
        description: the docstring, one line.
        sharpness: of a soft knee, 1 for none.
    """
    arguments = _distinct([identifier(parameter) for parameter in parameters])
    parts = _summands(constant, terms, repr, lambda term: _factors(arguments, term, _python_factors), " * ")
    value = _sum(parts)
    if sharpness != 1 and len(parts) > 1:
        powers = _sum([(c, f"({part}) ** {sharpness}") for c, part in parts])
        value = f"({powers}) ** (1 / {sharpness})"
    docstring = description.replace("\\", r"\\").replace('"', r"\"")
    return (
        "import numpy as np\n\n\n"
        f"def {identifier(name)}({', '.join(arguments)}):\n"
        f'    """{docstring}"""\n'
        f"    return {value}\n"
    )


def identifier(text: str) -> str:
    """Return a Python identifier that resembles a text."""
    name = re.sub(r"\W+", "_", text).strip("_") or "model"
    if name[0].isdigit() or keyword.iskeyword(name) or name == "np":
        return f"_{name}"
    return name


def _distinct(names: Sequence[str]) -> list[str]:
    return [f"{name}_{i}" if names.count(name) > 1 else name for i, name in enumerate(names, 1)]


def _summands(
    constant: float,
    terms: Sequence[WeightedTerm],
    write: Callable[[float], str],
    factors: Callable[[Term], list[str]],
    times: str,
) -> list[tuple[float, str]]:
    """Write constant and terms without their signs; what is exactly zero is left out if anything is not."""
    parts = [(c, times.join([write(abs(c)), *factors(term)])) for c, term in terms if c != 0]
    if constant != 0 or not parts:
        parts.insert(0, (constant, write(abs(constant))))
    return parts


def _sum(parts: Sequence[tuple[float, str]]) -> str:
    """Join numbers and their texts with the signs of the numbers."""
    first, text = parts[0]
    rest = "".join(f" {'-' if c < 0 else '+'} {part}" for c, part in parts[1:])
    return f"{'-' if first < 0 else ''}{text}{rest}"


def _factors(names: Sequence[str], term: Term, write: Callable[[str, Exponent], list[str]]) -> list[str]:
    return [factor for name, exponent in zip(names, term, strict=True) for factor in write(name, exponent)]


def _latex_factors(name: str, exponent: Exponent) -> list[str]:
    power, logarithm = exponent
    factors = []
    if power != 0:
        factors.append(name if power == 1 else f"{name}^{{{_latex_fraction(power)}}}")
    if logarithm != 0:
        factors.append(rf"\log_{{2}}{'' if logarithm == 1 else f'^{{{logarithm}}}'}({name})")
    return factors


def _latex_fraction(number: Fraction) -> str:
    sign, size = ("-" if number < 0 else ""), abs(number)
    whole = size.denominator == 1
    return f"{sign}{size.numerator}" if whole else rf"{sign}\frac{{{size.numerator}}}{{{size.denominator}}}"


def _latex_number(value: float) -> str:
    mantissa, exponential, power = f"{value:.4g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}" if exponential else mantissa


def _latex_name(name: str) -> str:
    plain = _UNPRINTABLE_IN_LATEX.sub("", name)
    escaped = _SPECIAL_IN_LATEX.sub(lambda match: f"\\{match[0]}", plain)
    return escaped if len(name) == 1 else rf"\mathrm{{{escaped}}}"


def _python_factors(name: str, exponent: Exponent) -> list[str]:
    """Write powers with fractional exponents: whole ones overflow for arrays of integers."""
    power, logarithm = exponent
    factors = []
    if power != 0:
        number = (
            f"{float(power)!r}" if power.denominator == 1 else f"({power.numerator} / {power.denominator})"
        )
        factors.append(name if power == 1 else f"{name} ** {number}")
    if logarithm != 0:
        factors.append(f"np.log2({name})" + (f" ** {logarithm}" if logarithm != 1 else ""))
    return factors
