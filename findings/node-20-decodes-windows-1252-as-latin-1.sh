#!/usr/bin/env bash
# Node 20.20.2: TextDecoder('windows-1252') decodes the bytes 0x80 to 0x9f as Latin 1's control
# characters, though the standard has quotes, dashes and the euro there. Browsers follow it, and so
# does Node for windows-1250. A feed's "team’s" arrives as "team\u0092s".
set -euo pipefail
version=$(node --version)
case $version in v20.*) ;; *) echo "skipped: $version"; exit 0 ;; esac
seen=$(node -e "
const decode = (label) => JSON.stringify(new TextDecoder(label).decode(Uint8Array.of(0x80, 0x92)));
console.log(decode('windows-1252').length, decode('windows-1250'));
const [first] = new TextDecoder('windows-1252').decode(Uint8Array.of(0x80));
console.log(first.codePointAt(0).toString(16));
")
expected='4 "€’"
80'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
