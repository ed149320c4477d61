#!/usr/bin/env bash
# Install the browser and the clients of other languages that the service is tested with.
# Without root nothing is installed, and each test that needs a missing part says which.
set -euo pipefail

packages=(chromium default-jre-headless libodbc2 libpostgresql-jdbc-java nginx-light odbc-postgresql postgresql postgresql-client)

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
    missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
elif [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Not installed: ${missing[*]}. Tests that need them are skipped."
  exit 0
fi
echo "Installing ${missing[*]} …"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null
apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
