#!/bin/sh
# Checks types (TypeScript) and style (Biome) of the report's scripts. Both come from npm, in the versions of
# package-lock.json; a machine without npm that cannot install it is told so, and the check is skipped.
set -eu
cd "$(dirname "$0")"

skip() {
  echo "JAVASCRIPT NOT CHECKED: $1"
  exit 0
}

if ! command -v npm >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing npm to check the report's scripts"
  apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --yes --no-install-recommends nodejs npm >/dev/null || true
fi
command -v npm >/dev/null || skip "there is no npm, and it cannot be installed"
if [ ! node_modules/.installed -nt package-lock.json ]; then
  npm ping >/dev/null 2>&1 || skip "npm does not reach its registry"
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.installed
fi
node_modules/.bin/tsc --project .
node_modules/.bin/biome check --error-on-warnings --config-path=. ../../pipeline/report/page/js
