import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.cpp_names import Signature, parse_signature, short_name

NAMES = tomllib.loads((Path(__file__).parent / "signatures.toml").read_text())


@pytest.mark.parametrize(("displayed", "name"), NAMES["signatures"].items())
def test_signatures_lose_return_type_and_parameters(displayed, name):
    assert short_name(displayed) == name
    assert short_name(name) == name


@pytest.mark.parametrize("name", NAMES["not_signatures"])
def test_other_names_stay_as_they_are(name):
    assert parse_signature(name) == Signature(returns="", name=name, parameters="", rest="")


def test_the_parts_of_a_signature():
    found = parse_signature("const T& ns::A<T>::at(size_t, B (*)(int)) const [with T = double]")
    assert found.returns == "const T& "
    assert found.name == "ns::A<T>::at"
    assert found.parameters == "(size_t, B (*)(int))"
    assert found.rest == " const [with T = double]"
    assert found.without_parameters == "const T& ns::A<T>::at const [with T = double]"


def test_the_parts_of_a_function_that_returns_a_function():
    found = parse_signature("void (*A::on(int, void (*)(int)) const)(int)")
    assert (found.returns, found.name) == ("void (*", "A::on")
    assert (found.parameters, found.rest) == ("(int, void (*)(int))", " const)(int)")


TEXTS = st.lists(
    st.sampled_from(
        [
            *("f", "A", "int", " ", "::", "~", "*", "&", ",", ".", "->", "@", "!", "$", "#", '"', "'", "`"),
            *(
                "(",
                ")",
                "()",
                "<",
                ">",
                "[",
                "]",
                "{",
                "}",
                "<<",
                ">>",
                "(*",
                "(int)",
                "<int>",
                "{lambda(int)#1}",
            ),
            *("operator", "operator()", "operator<<", "operator ", "operator bool", "new", "new[]", "delete"),
            *(
                "(anonymous namespace)",
                "decltype(auto)",
                "decltype(",
                "noexcept(",
                " const",
                " &&",
                " [clone .a]",
            ),
            *("[abi:cxx11]", " C", "requires ", "'lambda'", "\0", "\1", "\2", "\n", "é"),
        ]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=500)
@given(TEXTS | st.text(max_size=30))
@example("f(a)::b(c)::d")
def test_short_names_are_never_empty_and_stay_short(displayed):
    name = short_name(displayed)
    assert bool(name) == bool(displayed)
    assert short_name(name) == name


@given(TEXTS)
def test_the_parts_make_up_the_name(displayed):
    found = parse_signature(displayed)
    joined = found.returns + found.name + found.parameters + found.rest
    assert joined == displayed or (len(joined) < len(displayed) and "::" in displayed)


@given(st.from_regex(r"[A-Za-z_$][A-Za-z0-9_$]*(::~?[A-Za-z_][A-Za-z0-9_]*)*", fullmatch=True))
def test_a_plain_name_stays_and_comes_back_from_its_signature(name):
    assert short_name(name) == name
    for returns in ("", "int ", "const std::vector<A, B<(1 > 2)> >& "):
        for rest in ("", " const", " [with T = int]", " [clone .part.3]"):
            assert short_name(f"{returns}{name}(int (*)(A), B<(x < y)>){rest}") == name


@pytest.mark.parametrize(
    "hostile",
    [
        *("a" * 30_000 + "(", " " * 30_000 + "(x)", "::" * 20_000 + "f()", "f()" + "()" * 20_000),
        *("a::" * 20_000 + "()", "<" * 30_000 + "(", "(" * 30_000, "f(" + "<" * 30_000 + ")"),
        *("& " * 20_000 + "(a)b", "f() " + "[x] " * 10_000 + "y", "a()::" * 10_000 + "b()x"),
        *("const " * 10_000 + "f(int) " + "const " * 10_000 + "x", "(*a" * 3000 + "(b)" + ")(c)" * 3000),
    ],
    ids=lambda text: text[:9],
)
def test_what_is_repeated_without_end_takes_no_time(hostile):
    assert short_name(hostile)
