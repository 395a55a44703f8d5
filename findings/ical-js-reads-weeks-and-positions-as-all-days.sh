#!/usr/bin/env bash
# ical.js 2.2.1: the iterator of a recurrence rule ignores BYWEEKNO beside BYDAY (every Monday
# from the second on instead of the one of week 14) and BYSETPOS in weekly and daily rules, and moves 29 February to
# 1 March in other years, where RFC 5545 leaves the date out. No error is reported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-fund --no-audit ical.js@2.2.1
cat >rules.mjs <<'JS'
import ICAL from 'ical.js';
const list = (rule, start, count) => {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateTimeString(start));
  return Array.from({ length: count }, () => iterator.next().toString().slice(0, 10)).join(' ');
};
console.log('week 14:', list('FREQ=YEARLY;BYWEEKNO=14;BYDAY=MO', '2026-03-30T08:00:00', 3));
const ends = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1';
console.log('first and last workday:', list(ends, '2026-01-05T08:00:00', 3));
console.log('29 February:', list('FREQ=YEARLY', '2024-02-29T08:00:00', 3));
JS
seen=$(node rules.mjs)
expected='week 14: 2026-04-06 2026-04-13 2026-04-20
first and last workday: 2026-01-05 2026-01-06 2026-01-07
29 February: 2024-02-29 2025-03-01 2026-03-01'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
