"""`import pipeline`: the public names, lazily."""

import importlib.metadata
import importlib.resources
import inspect
import subprocess
import sys

import pytest

import pipeline


def test_every_public_name_exists_and_is_documented():
    for name in pipeline.__all__:
        thing = getattr(pipeline, name)
        assert name == "__version__" or inspect.getdoc(thing)
    assert dir(pipeline) == sorted(pipeline.__all__)
    assert pipeline.__version__ == importlib.metadata.version("callpath-pipeline")


def test_every_public_method_is_documented():
    for name in pipeline.__all__:
        thing = getattr(pipeline, name)
        if inspect.isclass(thing) and thing.__module__.startswith("pipeline.api"):
            for key, member in vars(thing).items():
                if not key.startswith("_"):
                    assert inspect.getdoc(member), f"{name}.{key}"


def test_the_types_of_the_packages_are_known_to_type_checkers():
    for package in ("pipeline", "ingest", "filters"):
        assert importlib.resources.files(package).joinpath("py.typed").is_file()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'pipeline' has no attribute 'read_studies'"):
        pipeline.read_studies  # noqa: B018


def test_importing_loads_nothing_heavy():
    code = (
        "import sys; import pipeline;"
        "print(sorted({'numpy', 'pandas', 'scipy', 'pyarrow', 'sklearn', 'matplotlib', 'typer', 'rich'}"
        " & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_studies_do_not_need_matplotlib(strong_study):
    code = (
        "import sys; sys.modules['matplotlib'] = None; import pipeline;"
        f"print(len(pipeline.read_study({str(strong_study)!r}).fit().frame))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "3"


def test_names_are_imported_once():
    assert pipeline.read_study is pipeline.read_study
    assert "read_study" in vars(pipeline)
