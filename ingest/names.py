"""C++ signatures reduced to the name that people use."""

OPENING, CLOSING = "<([{", ">)]}"


def short_name(name: str) -> str:
    """Drop the return type and the parameters of a C++ signature; other names stay as they are.

    ``int ComputeSPMV(const SparseMatrix&, Vector&)`` becomes ``ComputeSPMV``; ``time.run()``, ``MPI_Send``
    and ``!$omp parallel @a.c:3`` are no signatures.
    """
    start = _parameters_start(name)
    if start <= 0 or name.startswith("!"):
        return name
    words = _split_at_spaces(name[:start])
    if len(words) == 1 and name[start:] == "()":
        return name
    operator = next((i for i, word in enumerate(words) if word.split("::")[-1].startswith("operator")), None)
    return " ".join(words[operator:]) if operator is not None else words[-1]


def _parameters_start(name: str) -> int:
    """Index of the bracket that opens the parameter list, -1 where there is none."""
    body = name.rstrip()
    for suffix in (" const", " volatile", " &", " &&", " noexcept"):
        body = body.removesuffix(suffix)
    if not body.endswith(")"):
        return -1
    depth = 0
    for i in range(len(body) - 1, -1, -1):
        depth += (body[i] == ")") - (body[i] == "(")
        if depth == 0:
            return -1 if body[:i].endswith("operator") else i
    return -1


def _split_at_spaces(text: str) -> list[str]:
    """Split at the spaces that stand outside of all brackets; ``<`` of an operator's name opens nothing."""
    words, depth = [""], 0
    for character in text:
        if character in OPENING and "operator" not in words[-1]:
            depth += 1
        elif character in CLOSING and depth:
            depth -= 1
        if character == " " and depth == 0:
            words.append("")
        else:
            words[-1] += character
    return [word for word in words if word]
