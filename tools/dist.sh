#!/bin/sh
# The wheel and the source archive in dist/: made twice and equal, checked, and the wheel alone runs a sample.
set -eu
cd "$(dirname "$0")/.."
project=$(pwd)
tools=$project/.venv-dist/bin

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1577836800)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf dist
"$tools/python" -m build --no-isolation --outdir dist . >/dev/null
"$tools/python" -m build --no-isolation --outdir "$work/again" . >/dev/null
diff --recursive dist "$work/again" || { echo "two builds differ" >&2; exit 1; }
"$tools/twine" check --strict dist/*
"$tools/check-wheel-contents" dist/*.whl

"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check dist/*.whl
cd "$work" # where nothing of the checkout can be imported
venv/bin/pipeline run "$project/sample_profiles/hpcg-strong" --out results >printed
[ -s results/report.html ] || { echo "the installed wheel made no report" >&2; exit 1; }
head -n 1 printed
told=$(venv/bin/pipeline plot results sum 2>&1 >/dev/null) && { echo "an extra is installed" >&2; exit 1; }
case $told in *"pip install 'callpath-pipeline[plot]'"*) ;; *) echo "no hint at the extra: $told" >&2; exit 1 ;; esac
echo "base installation: $(du -sm venv | cut -f 1) MB with pip and bytecode"
cd "$project"
sha256sum dist/*
