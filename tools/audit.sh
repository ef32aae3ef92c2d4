#!/bin/sh
# Known vulnerabilities in what requirements/ pins. The data come from the package index, else from osv.dev; a
# machine that reaches neither is told so, and the check is skipped.
set -eu
cd "$(dirname "$0")/.."

skip() {
  echo "VULNERABILITIES NOT CHECKED: $1"
  exit 0
}

make --silent .venv-audit/.installed || skip "pip-audit cannot be installed"
report=$(mktemp)
trap 'rm -f "$report"' EXIT
files="runtime development extras build audit dist lowest-runtime"

audited() { # whether the service answered for a package that is on every index
  echo "jinja2==3.1.2" >"$report.in"
  .venv-audit/bin/pip-audit --vulnerability-service "$1" --disable-pip --no-deps --progress-spinner off \
    --requirement "$report.in" >"$report" 2>&1 || true
  rm -f "$report.in"
  grep -q "CVE-2025-27516\|GHSA-cpwx-vrp4-4pq7\|PYSEC-" "$report"
}

for service in pypi osv; do
  if audited "$service"; then
    status=0
    for file in $files; do
      echo "requirements/$file.txt:"
      .venv-audit/bin/pip-audit --vulnerability-service "$service" --disable-pip --require-hashes \
        --progress-spinner off --requirement "requirements/$file.txt" || status=1
    done
    exit $status
  fi
done
skip "no vulnerability data: neither the package index nor osv.dev answers for a release known to be vulnerable"
