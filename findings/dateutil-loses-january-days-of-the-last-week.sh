#!/usr/bin/env bash
# python-dateutil 2.9.0.post0: a yearly rule with BYWEEKNO=52 does not list the days of January that
# belong to week 52 of the year before. 1 and 2 January 2022 are a Saturday and a Sunday of week 52 of
# 2021, as Python's own isocalendar() says. Whether the year before has 52 or 53 weeks is calculated
# from the length of the present one. BYDAY=MO,1TU, a weekday beside one with a number, lists nothing:
# both must match the same day. A number beyond the month (BYMONTH=12;BYDAY=20MO) is an IndexError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
pip install --quiet --disable-pip-version-check --root-user-action=ignore --target packages python-dateutil==2.9.0.post0
cat >rules.py <<'PY'
from datetime import date, datetime
from dateutil.rrule import rrulestr

def show(rule):
    start = datetime(2021, 12, 27)
    return ' '.join(str(day.date()) for day in rrulestr(rule, dtstart=start).between(start, datetime(2022, 2, 28), inc=True))

print('week of 1 January 2022:', date(2022, 1, 1).isocalendar()[1])
print('week 52:', show('FREQ=YEARLY;BYWEEKNO=52;BYDAY=SA,SU'))
print('MO,1TU:', show('FREQ=MONTHLY;BYDAY=MO,1TU'))
try:
    print('20MO:', show('FREQ=YEARLY;BYMONTH=12;BYDAY=20MO'))
except IndexError as error:
    print('20MO:', type(error).__name__)
PY
seen=$(PYTHONPATH=packages python3 rules.py)
expected='week of 1 January 2022: 52
week 52: 
MO,1TU: 
20MO: IndexError'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
