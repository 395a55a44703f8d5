import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getExpectedValue, type TrackedValue, trackReport, trackValue } from './reported-value.ts';

const start: TrackedValue = { value: '', reported: [] };

test('keeps what is typed while the value before a report is still shown, and when the report arrives', () => {
  const reported = trackReport(start, 'very');
  const before = trackValue(reported, '');
  expect(before).toEqual({ tracked: reported, isExternal: false });
  expect(trackValue(before.tracked, 'very')).toEqual({ tracked: { value: 'very', reported: [] }, isExternal: false });
});

test('treats a value that was never reported as an external change, which also ends all reports', () => {
  const reported = trackReport(start, 'very');
  expect(trackValue(reported, 'from a link')).toEqual({
    tracked: { value: 'from a link', reported: [] },
    isExternal: true,
  });
});

test('never treats reports as external changes, in any order of steps, and expects the last one', () => {
  const texts = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 10 });
  const steps = fc.array(fc.nat({ max: 2 }), { maxLength: 30 });
  fc.assert(
    fc.property(texts, steps, (reports, moves) => {
      let tracked = start;
      let [sent, arrived] = [0, 0];
      for (const move of moves) {
        const next = reports[sent];
        if (move === 0 && next !== undefined) {
          tracked = trackReport(tracked, next);
          sent += 1;
        } else arrived = Math.min(sent, arrived + move);
        const { tracked: after, isExternal } = trackValue(tracked, reports[arrived - 1] ?? '');
        expect(isExternal).toBe(false);
        tracked = after;
        expect(getExpectedValue(tracked)).toBe(reports[sent - 1] ?? '');
      }
    }),
  );
});
