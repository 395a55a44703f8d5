import * as fc from 'fast-check';
import type { LogRow } from './log-chunk.ts';

/** Generates platform rows with traces inside a value, as separate records, and interrupted. */
export const rowArbitrary: fc.Arbitrary<LogRow> = fc.oneof(
  { weight: 6, arbitrary: record(fc.constantFrom('INFO', 'WARNING', 'SEVERE', 'DEBUG'), fc.lorem({ maxCount: 4 })) },
  { weight: 2, arbitrary: record(fc.constantFrom('Runtime Error', 'java.lang.NullPointerException'), anyValue()) },
  {
    weight: 4,
    arbitrary: record(
      fc.constantFrom('SEVERE', 'INFO', 'java.lang.NullPointerException'),
      fc.constantFrom('\tat com.mezzanine.Clinic.close(Clinic.mez:12)', 'Caused by: timeout', '    ... 14 more'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      millis: fc.nat(),
      marker: fc.constantFrom('gap', 'note'),
      value: fc.constantFrom('gap: 3 lines', 'nothing lost'),
    }),
  },
);

function record(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<LogRow> {
  return fc.record({ millis: fc.nat(), key, value });
}

function anyValue(): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.lorem({ maxCount: 2 }), fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 4 })
    .map((lines) => lines.join('\n'));
}
