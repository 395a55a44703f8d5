import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toCell } from './audit-csv.ts';

it('never exports a cell of the audit trail that starts as a formula, in half or full width', () => {
  const start = fc.constantFrom('', ...'=+-@＝＋－＠\t\r');
  fc.assert(
    fc.property(start, fc.string(), (first, text) => {
      expect(toCell(`${first}${text}`).replace(/^"/, '')).not.toMatch(/^[=+\-@＝＋－＠\t\r]/);
    }),
  );
});
