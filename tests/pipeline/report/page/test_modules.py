"""Joining ES modules: what is joined runs as the modules would, and everything else is refused."""

import posixpath
import re

import pytest

from pipeline.report.page.embedding import ENTRIES, START, ModuleError, joined, modules, script

MAIN = 'import { twice } from "./math/twice.js";\nconst value = 1;\nshow(twice(value));\n'
TWICE = """import { SIZE } from "../size.js";

const value = SIZE;
export function twice(x) {
  return value * x;
}
"""
SIZE = "export const SIZE = 2;\n"


def test_every_module_is_a_function_after_those_that_it_imports() -> None:
    text = joined({"main.js": MAIN, "math/twice.js": TWICE, "size.js": SIZE}, "main.js")
    assert text == (
        '"use strict";\n{\nconst modules = {};\n'
        'modules["size.js"] = (() => {\nconst SIZE = 2;\nreturn { SIZE };\n})();\n'
        'modules["math/twice.js"] = (() => {\nconst { SIZE } = modules["size.js"];\n'
        "const value = SIZE;\nfunction twice(x) {\nreturn value * x;\n}\nreturn { twice };\n})();\n"
        'modules["main.js"] = (async () => {\nconst { twice } = modules["math/twice.js"];\n'
        "const value = 1;\nshow(twice(value));\nreturn {  };\n})();\n"
        "}\n"
    )


def test_a_module_imported_twice_stands_once() -> None:
    sources = {
        "main.js": 'import { a } from "./a.js";\nimport { b } from "./b.js";\nshow(a, b);\n',
        "a.js": 'import { b } from "./b.js";\nexport const a = b;\n',
        "b.js": "export const b = 1;\n",
        "never.js": "import nonsense;\n",
    }
    text = joined(sources, "main.js")
    assert re.findall(r'modules\["(\w+).js"\] = ', text) == ["b", "a", "main"]


def test_imports_may_stand_on_several_lines() -> None:
    main = 'import {\n  SIZE,\n  WIDTH,\n} from "./size.js";\nshow(SIZE, WIDTH);\n'
    text = joined({"main.js": main, "size.js": SIZE + "export const WIDTH = 3;\n"}, "main.js")
    assert 'const { SIZE, WIDTH } = modules["size.js"];' in text


@pytest.mark.parametrize("kind", ["function thing() {}", "class thing {}", "async function thing() {}"])
def test_functions_and_classes_are_exported(kind: str) -> None:
    text = joined({"main.js": f"export {kind}\n"}, "main.js")
    assert f"(async () => {{\n{kind}\nreturn {{ thing }};\n" in text


def test_comments_on_lines_of_their_own_are_left_out() -> None:
    main = "// @ts-check\n/**\n * @param {import('x')} y\n */\nconst x = 1; // stays\n  /* gone */\n"
    main += "show(x, '// \\'');\n"
    text = joined({"main.js": main}, "main.js")
    assert "(async () => {\nconst x = 1; // stays\nshow(x, '// \\'');\nreturn" in text


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (
            {
                "main.js": MAIN,
                "math/twice.js": TWICE,
                "size.js": 'import { twice } from "./math/twice.js";\n',
            },
            "modules import each other in a circle: math/twice.js -> size.js -> math/twice.js",
        ),
        ({"main.js": 'import { main } from "./main.js";\n'}, "circle: main.js -> main.js"),
        ({"main.js": MAIN}, "main.js imports math/twice.js, which does not exist"),
        ({}, "the page imports main.js, which does not exist"),
        (
            {"main.js": MAIN, "math/twice.js": "export const thrice = 3;\n"},
            "main.js imports twice, which math/twice.js does not export",
        ),
        ({"main.js": "const a = 1;\nfunction a() {}\n"}, "main.js declares a twice"),
        (
            {"main.js": 'import { SIZE } from "./size.js";\nlet SIZE = 1;\n', "size.js": SIZE},
            "declares SIZE twice",
        ),
        (
            {
                "main.js": 'import { SIZE } from "./size.js";\nimport { A } from "./size.js";\n',
                "size.js": SIZE,
            },
            "imports from one module in two places",
        ),
        (
            {"main.js": "const text = `two\nlines`;\n"},
            "main.js has a template of several lines: const text = `two",
        ),
        ({"main.js": 'import size from "./size.js";\n'}, "not supported: import size from"),
        ({"main.js": 'import "./size.js";\n'}, "not supported: import"),
        ({"main.js": 'import * as size from "./size.js";\n'}, "not supported: import"),
        ({"main.js": "export let size = 1;\n"}, "not supported: export let size"),
        ({"main.js": "export default 1;\n"}, "not supported: export default"),
        ({"main.js": "const a = 1;\nexport { a };\n"}, "not supported: export { a }"),
        ({"main.js": 'const a = () => import("./a.js");\n'}, "not supported: import("),
    ],
)
def test_what_cannot_be_joined_is_refused(sources: dict[str, str], message: str) -> None:
    with pytest.raises(ModuleError) as refused:
        joined(sources, "main.js")
    assert message in str(refused.value)


def test_templates_on_one_line_are_kept() -> None:
    main = "show(`a${b ? `c` : ``}`, `d`);\nshow('`');\n".replace("'`'", "`e`")
    assert main.strip() in joined({"main.js": main}, "main.js")


def test_the_pages_use_all_modules() -> None:
    texts = {entry: script(page) for page, entry in ENTRIES.items()}
    found = {
        entry: re.findall(r'^modules\["([^"]+)"\] = ', text, re.MULTILINE) for entry, text in texts.items()
    }
    assert set().union(*found.values(), {START}) == set(modules())
    assert all(used[-1] == entry for entry, used in found.items())
    assert all(text.startswith("// @ts-check\n") for text in modules().values())


LAYERS = ("data", "text", "draw", "state.js", "views")


def test_modules_import_from_their_own_layer_or_from_one_below() -> None:
    def layer(path: str) -> int:
        first = path.split("/", maxsplit=1)[0]
        return LAYERS.index(first) if first in LAYERS else len(LAYERS)  # what a page begins with

    for path, text in modules().items():
        for source in re.findall(r'^import .*from "([^"]+)";$|^} from "([^"]+)";$', text, re.MULTILINE):
            name = next(filter(None, source))
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            assert target in modules()
            assert layer(target) <= layer(path), f"{path} imports {target}"
