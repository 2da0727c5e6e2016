#!/usr/bin/env bash
# Installs what the tests use beside Go: a C compiler for the race detector, BIND 9 to hold the publisher against, and a
# browser to look at the report with. Only where it is missing, and only where apt-get is there and may; elsewhere it
# says what is missing, and the tests concerned are skipped.
set -euo pipefail

packages=()
command -v cc >/dev/null || packages+=(gcc libc6-dev)
command -v named >/dev/null || [[ -x /usr/sbin/named ]] || packages+=(bind9)
command -v chromium >/dev/null || packages+=(chromium)
((${#packages[@]})) || exit 0

if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
  echo "not installed, so some tests are skipped: ${packages[*]}"
  exit 0
fi

# BIND is wanted as a program. policy-rc.d (invoke-rc.d(8)) keeps its package from starting it as a service.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
echo "installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "${packages[@]}" >/dev/null
