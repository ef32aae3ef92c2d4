import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.cpp_names import Signature, parse_signature, short_name

SIGNATURES = {
    "int main(int, char**)": "main",
    "int ComputeSPMV(const SparseMatrix&, Vector&)": "ComputeSPMV",
    "void Foam::fvMatrix<Foam::Vector<double> >::solve(const dictionary&) const": (
        "Foam::fvMatrix<Foam::Vector<double> >::solve"
    ),
    "void A<std::pair<int, int> >::put(const B&)": "A<std::pair<int, int> >::put",
    "double& Vec::at(int)": "Vec::at",
    "unsigned long long int ::count()": "::count",
    "Domain::~Domain()": "Domain::~Domain",
    "MPI_Init()": "MPI_Init",
    "virtual void A::f()": "A::f",
    # operators
    "bool A::operator()(int, int) const": "A::operator()",
    "bg::Vector<double>::operator()(int)": "bg::Vector<double>::operator()",
    "T& A::operator[](size_t)": "A::operator[]",
    "A* P::operator->() const": "P::operator->",
    "A& P::operator->*(int)": "P::operator->*",
    "std::ostream& operator<<(std::ostream&, const X&)": "operator<<",
    "std::ostream& std::operator<< <char>(std::ostream&)": "std::operator<< <char>",
    "std::ostream& std::operator<<<std::char_traits<char>>(std::ostream&)": (
        "std::operator<<<std::char_traits<char>>"
    ),
    "bool operator< <int>(A<int> const&)": "operator< <int>",
    "bool operator<<int>(A<int> const&)": "operator<<int>",
    "bool operator<(const A&, const A&)": "operator<",
    "bool operator><int>(A<int> const&)": "operator><int>",
    "A operator>>(A, int)": "operator>>",
    "bool operator<=(A, A)": "operator<=",
    "auto operator<=>(A const&, A const&)": "operator<=>",
    "A& A::operator<<=(int)": "A::operator<<=",
    "A& A::operator>>=(int)": "A::operator>>=",
    "A A::operator,(A)": "A::operator,",
    "A A::operator-()": "A::operator-",
    "A A::operator--()": "A::operator--",
    "bool operator&&(A, A)": "operator&&",
    "bool operator||(A, A)": "operator||",
    "A operator*(A, A)": "operator*",
    "A* operator&(A)": "operator&",
    "bool A::operator!() const": "A::operator!",
    "A& A::operator%=(A)": "A::operator%=",
    "void* operator new[](unsigned long)": "operator new[]",
    "void* A::operator new(unsigned long)": "A::operator new",
    "void operator delete(void*, unsigned long)": "operator delete",
    "void operator delete[](void*)": "operator delete[]",
    'long double operator"" _km(long double)': 'operator"" _km',
    "ns::operator co_await(A)": "ns::operator co_await",
    "A::operator bool() const": "A::operator bool",
    "A::operator std::vector<int, std::allocator<int> > const&() const": (
        "A::operator std::vector<int, std::allocator<int> > const&"
    ),
    "A::operator int (*)(double)() const": "A::operator int (*)(double)",
    "A::operator int B::*() const": "A::operator int B::*",
    "void apply_operator(int)": "apply_operator",
    "int operator_of(int)": "operator_of",
    # templates with shifts, comparisons and parentheses
    "void f<(1 << 3)>(int)": "f<(1 << 3)>",
    "std::array<int, (2 >> 1)> make(int)": "make",
    "void f<(a > b), (c)>(std::vector<int> const&)": "f<(a > b), (c)>",
    "std::enable_if<(N > 3) && (N < 5), void>::type f<4>(int)": "f<4>",
    "void f<decltype(p->x)>(int)": "f<decltype(p->x)>",
    "void f<&A::operator< >(int)": "f<&A::operator< >",
    "void f<(A::operator<)>(int)": "f<(A::operator<)>",
    "void f<std::function<void (int)> >(int)": "f<std::function<void (int)> >",
    "std::function<void (int)> f(std::function<int (double)>)": "f",
    # anonymous namespaces, lambdas and what is local to a function
    "(anonymous namespace)::helper(int)": "(anonymous namespace)::helper",
    "void (anonymous namespace)::helper(int)": "(anonymous namespace)::helper",
    "int ns::(anonymous namespace)::A::f() const": "ns::(anonymous namespace)::A::f",
    "{anonymous}::helper(int)": "{anonymous}::helper",
    "void `anonymous namespace'::helper(int)": "`anonymous namespace'::helper",
    "main::{lambda(int)#1}::operator()(int) const": "main::{lambda(int)#1}::operator()",
    "run(A, B)::{lambda(int)#1}::operator()(int) const": "run::{lambda(int)#1}::operator()",
    "A::run(B) const::{lambda(int)#1}::operator()(int) const": "A::run::{lambda(int)#1}::operator()",
    "main::'lambda'(int)::operator()(int) const": "main::'lambda'::operator()",
    "main::$_0::operator()(int) const": "main::$_0::operator()",
    "int main(int, char**)::<lambda(int)>": "main::<lambda(int)>",
    "f(int)::g(A)::Local::h(int)": "f::g::Local::h",
    # function pointers and types that are computed
    "void CommSend(Domain&, Real_t& (Domain::**)(Index_t), bool)": "CommSend",
    "void (*signal(int, void (*)(int)))(int)": "signal",
    "int (&ns::get(A&))[3]": "ns::get",
    "decltype(auto) f<int>(int)": "f<int>",
    "decltype (a.b(c)) f<int>(int)": "f<int>",
    # what stands behind the parameters
    "void f(int) [clone .isra.0] [clone .cold]": "f",
    "void f(int) (.cold.1)": "f",
    "std::string to_string[abi:cxx11](int)": "to_string[abi:cxx11]",
    "std::string f[abi:cxx11]<int>(int)": "f[abi:cxx11]<int>",
    "void A::f() const volatile &": "A::f",
    "void A::f() &&": "A::f",
    "void A::f() const noexcept(noexcept(g()))": "A::f",
    "void f(int) throw (std::bad_alloc)": "f",
    "T* Allocate(size_t) [with T = double]": "Allocate",
    "T* f(A) [with T = std::map<int, B(*)[3]>; U = int]": "f",
    "auto f(int) -> int": "f",
    "void f() requires C<T>": "f",
    "f(int)@plt": "f",
    "int work(int) C": "work",
    "void kernel<float, 16>(float*, int)": "kernel<float, 16>",
}

NOT_SIGNATURES = [
    "",
    " ",
    "main",
    "solve_",
    "mod_MOD_proc",
    "__mod_MOD_proc",
    "ns::A<int>::f",
    "ns::(anonymous namespace)::f",
    "MPI_Allreduce",
    "cudaMemcpy",
    "[CUDA memcpy HtoD]",
    "!$omp parallel @a.c:3",
    "!$omp critical (lock) @a.c:3",
    "time.run()",
    "functionObjects.execute()",
    "lduMatrix::solver.p",
    ".TAU application",
    "equation of state",
    "solve (first step)",
    "TRACE BUFFER FLUSH",
    "<outside>",
    "<lambda(int)>",
    "operator()",
    "A::operator bool",
    "A::operator int (*)(double)",
    "operator int(double)",
    "f(",
    "f)",
    "f<(int)",
    "f(int]",
    "f()()",
    "f(int) and more",
    "f(a)b",
    "a->b(c)",
    "f(int)\n",
    "void (*)(int)",
    "void (*f)(int)",
    "int (f(int))(int)",
]


@pytest.mark.parametrize(("displayed", "name"), SIGNATURES.items())
def test_signatures_lose_return_type_and_parameters(displayed, name):
    assert short_name(displayed) == name
    assert short_name(name) == name


@pytest.mark.parametrize("name", NOT_SIGNATURES)
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
