"""Functions by the names of their source: C++ names are demangled, Fortran's are taken out of the symbol."""

import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ingest.cpp_names import parse_signature
from ingest.errors import UsageError

_MOST_NAMED = 8
_DEMANGLERS = ("c++filt", "llvm-cxxfilt", *(f"llvm-cxxfilt-{version}" for version in range(29, 13, -1)))
_FORTRAN = (
    r"__(?P<module>\w+)_MOD_(?P<name>\w+)",  # GNU
    r"_Q(?:M(?P<module>[a-z0-9_]+))?(?:F[a-z0-9_]+)?P(?P<name>[a-z0-9_]+)",  # Flang
    r"(?P<module>\w+)_mp_(?P<name>\w+)_",  # Intel
    r"(?P<name>[a-z]\w*?)__?(?P<module>)",
)
_CLONE = re.compile(r"(?<=\w)\.[\w.]+$")
_NESTED = re.compile(r"_Z+(?:N[rVKRO]*)?(?=\d)")
_TEMPLATE = re.compile(r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
_ANONYMOUS = "(anonymous namespace)"
_INSIDE = re.compile(r"::(?:\{lambda|'lambda|\$_\d|\{unnamed).*")


@dataclass(frozen=True, kw_only=True)
class _Names:
    """What a function may be called."""

    full: str  # with parameters, as a demangler prints it
    qualified: str
    enclosing: str = ""  # of a lambda: the function around it
    is_clone: bool = False
    is_fortran: bool = False


def symbols_called(symbols: Collection[str], name: str, *, where: str) -> tuple[str, ...]:
    """Return the symbol of the function of that name, then what compilers split from it: clones, lambdas.

    The name is a symbol, or a C++ or Fortran name with as much around it as makes it unique: ``flux``,
    ``fv::flux``, ``fv::flux(double*)``, ``axpy``, ``kernels::axpy``. UsageError if there is none, or there
    are several.
    """
    if name in symbols:
        return (name,)
    names = {symbol: _names(symbol, plain) for symbol, plain in _demangled(symbols).items()}
    ways: tuple[Callable[[_Names], bool], ...] = (
        lambda one: _is_called(one.full, name, one.is_fortran),
        lambda one: _is_called(one.qualified, name, one.is_fortran) and not one.is_clone,
        lambda one: _is_called(one.qualified, name, one.is_fortran),
        lambda one: _is_called(one.enclosing, name, one.is_fortran),
    )
    tiers = [[symbol for symbol, one in names.items() if way(one)] for way in ways]
    first = next((tier for tier in tiers if tier), [])
    if len(first) == 1:
        return tuple(dict.fromkeys(symbol for tier in tiers for symbol in tier))
    if first:
        raise several_called(first, name, where=where)
    shown = _listed([one.full for one in names.values()])
    raise UsageError(f"no function '{name}'", where=where, hint=f"functions: {shown}")


def several_called(symbols: Collection[str], name: str, *, where: str) -> UsageError:
    """Return the error of a name that several functions have."""
    full = [_names(symbol, plain).full for symbol, plain in _demangled(symbols).items()]
    shown = _listed(full if len(set(full)) == len(full) else symbols)
    return UsageError(f"several functions are called '{name}'", where=where, hint=f"choose one: {shown}")


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(sorted(names)[:_MOST_NAMED]) + more


def _demangled(symbols: Collection[str]) -> Mapping[str, str]:
    """Return the readable name of each symbol; without a demangler, C++ names lack their parameters."""
    mangled = [symbol for symbol in symbols if symbol.startswith("_Z")]
    plain = {symbol: symbol for symbol in symbols} | {symbol: _leading_names(symbol) for symbol in mangled}
    program = (
        next((found for each in _DEMANGLERS if (found := shutil.which(each))), None) if mangled else None
    )
    if program is None:
        return plain
    command, text = [program], "".join(f"{symbol}\n" for symbol in mangled)
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, encoding="utf-8", timeout=120, check=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return plain
    return plain | dict(zip(mangled, done.stdout.splitlines(), strict=False))


def _leading_names(symbol: str) -> str:
    """Return the qualified name that a mangled one begins with, up to what is not a plain identifier."""
    rest, names = _NESTED.sub("", symbol, count=1), []
    while length := re.match(r"[1-9]\d*", rest):
        end = length.end() + int(length[0])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(_ANONYMOUS if n.startswith("_GLOBAL__N_") else n for n in names) or symbol


def _names(symbol: str, plain: str) -> _Names:
    clone = bool(_CLONE.search(symbol))
    if plain == symbol:
        base = _CLONE.sub("", symbol)
        fortran = next((found for form in _FORTRAN if (found := re.fullmatch(form, base))), None)
        if fortran is None:
            return _Names(full=plain, qualified=base, is_clone=clone)
        qualified = "::".join(part for part in (fortran["module"], fortran["name"]) if part)
        full = f"{qualified}{symbol[len(base) :]}"
        return _Names(full=full, qualified=qualified, is_clone=clone, is_fortran=True)
    if "(" not in plain.replace(_ANONYMOUS, ""):  # not demangled
        if symbol.startswith("_ZZ"):
            return _Names(full=symbol, qualified=symbol, enclosing=plain, is_clone=clone)
        suffix = _CLONE.search(symbol)
        return _Names(full=f"{plain}{suffix[0] if suffix else ''}", qualified=plain, is_clone=clone)
    signature = parse_signature(plain)
    name, full = signature.name, f"{signature.name}{signature.parameters}{signature.rest}"
    around = _INSIDE.sub("", name)
    return _Names(full=full, qualified=name, enclosing=around if around != name else "", is_clone=clone)


def _is_called(qualified: str, name: str, is_fortran: bool) -> bool:
    """Return whether a qualified name is that name, or ends in it; template arguments need not be given."""
    own, wanted = re.sub(r"\s+", "", qualified), re.sub(r"\s+", "", name)
    if is_fortran:
        own, wanted = own.lower(), wanted.lower()
    forms = {own, own.replace("(anonymousnamespace)::", "")}
    forms |= {_TEMPLATE.sub("", form) for form in forms}
    return any(form == wanted or form.endswith(f"::{wanted}") for form in forms)
