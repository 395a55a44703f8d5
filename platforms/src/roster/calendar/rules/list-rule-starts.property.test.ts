// @module-tag long

import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPython } from '../second-readers.fixture.ts';
import { fixedRules } from './fixed-rules.fixture.ts';
import { listRuleStarts } from './list-rule-starts.ts';
import { listByDefinition } from './naive-rule.fixture.ts';
import { type RuleCase, randomRules, writeLocal } from './random-rules.fixture.ts';
import { parseRule } from './recurrence-rule.ts';
import { StepBudget } from './step-budget.ts';

const maxStarts = 60;

/** Lists at most the first 60 starts. UNTIL is a local time here. */
function listStarts(text: string, startMs: number, endMs: number): number[] {
  const rule = parseRule(text);
  const budget = new StepBudget();
  budget.startEvent();
  const starts: number[] = [];
  for (const localMs of listRuleStarts(rule, startMs, { from: startMs, to: endMs }, budget)) {
    if (starts.length === maxStarts || (rule.until !== undefined && writeLocal(localMs) > rule.until)) break;
    starts.push(localMs);
  }
  return starts;
}

describe('starts of a recurrence rule', () => {
  it.each(fixedRules)('are those of RFC 5545 for $kind: $rule', ({ rule, start, end, starts }) => {
    const parse = (text: string) => Date.parse(`${text}Z`);
    const write = (localMs: number) => new Date(localMs).toISOString().slice(0, 19).replace('T', ' ');
    const found = listStarts(rule, parse(start), parse(end)).map(write);
    expect(found).toEqual(starts.map((text) => write(parse(text))));
  });

  it('are those of the definition, whatever the rule', () => {
    fc.assert(
      fc.property(randomRules({ withDisputed: true }), ({ rule, startMs, endMs }) => {
        const expected = listByDefinition(rule, startMs, endMs).slice(0, maxStarts);
        expect(listStarts(rule, startMs, endMs).map(writeLocal)).toEqual(expected.map(writeLocal));
      }),
      { numRuns: 150 },
    );
  });

  it('are the same from the middle of a rule as from its beginning', () => {
    fc.assert(
      fc.property(randomRules({ withDisputed: true }), fc.nat({ max: 50 }), ({ rule, startMs, endMs }, skipped) => {
        const starts = listStarts(rule, startMs, endMs);
        const from = starts[skipped];
        if (from === undefined) return;
        const read = parseRule(rule);
        const budget = new StepBudget();
        budget.startEvent();
        const to = starts.at(-1) ?? from;
        expect([...listRuleStarts(read, startMs, { from, to }, budget)]).toEqual(starts.slice(skipped));
      }),
      { numRuns: 150 },
    );
  });

  it.skipIf(!findPython())("are those of python's dateutil for 2,500 rules", () => {
    const cases = fc.sample(randomRules({ withDisputed: false }), {
      numRuns: 2_500,
      seed: fc.readConfigureGlobal().seed ?? 1,
    });
    const theirs = listByPython(cases);
    const differences = cases.flatMap(({ rule, startMs, endMs }, index) => {
      const [ours, other = []] = [listStarts(rule, startMs, endMs).map(writeLocal), theirs[index]];
      return ours.join() === other.join() ? [] : [{ rule, start: writeLocal(startMs), ours, theirs: other }];
    });
    expect(differences).toEqual([]);
    expect(theirs.filter((starts) => starts.length > 0).length).toBeGreaterThan(2_000);
  });
});

/** Years after the end are not searched, where rules that match nothing would take minutes. */
const program = `
import datetime, json, sys
from dateutil import rrule
class Limited:
    MAXYEAR = 9999
    def __getattr__(self, name): return getattr(datetime, name)
rrule.datetime = limited = Limited()
read = lambda text: datetime.datetime.strptime(text, '%Y%m%dT%H%M%S')
for line in sys.stdin:
    case, found = json.loads(line), []
    end = read(case['end'])
    limited.MAXYEAR = end.year
    try:
        for start in rrule.rrulestr(case['rule'], dtstart=read(case['start'])):
            if start > end or len(found) == case['max']: break
            found.append(start.strftime('%Y%m%dT%H%M%S'))
    except ValueError as error:
        # A step that never meets the chosen hours or minutes.
        if 'byxxx' not in str(error): raise
    print(json.dumps(found))
`;

function listByPython(cases: readonly RuleCase[]): string[][] {
  const input = cases.map(({ rule, startMs, endMs }) =>
    JSON.stringify({ rule, start: writeLocal(startMs), end: writeLocal(endMs), max: maxStarts }),
  );
  const python = findPython() ?? '';
  const { stdout, stderr } = spawnSync(python, ['-c', program], {
    input: input.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}
