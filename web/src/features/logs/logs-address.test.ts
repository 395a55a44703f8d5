import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logLevels, timestampModes } from '../../logs/text/log-format.ts';
import { type LogChoices, toLogQuery } from '../../logs/view/log-choices.ts';
import { readLogsAddress, writeLogsAddress } from './logs-address.ts';

const choicesArbitrary: fc.Arbitrary<LogChoices> = fc.record({
  levels: fc.option(fc.subarray([...logLevels]), { nil: null }),
  find: fc.string(),
  isRegExp: fc.boolean(),
  matchCase: fc.boolean(),
  mode: fc.constantFrom('filter', 'highlight'),
  field: fc.option(fc.record({ name: fc.string({ minLength: 1 }), value: fc.string() }), { nil: null }),
  wrap: fc.boolean(),
  timestamps: fc.constantFrom(...timestampModes),
});

describe('log view settings in the address', () => {
  it('round-trips the view settings and preserves other parameters', () => {
    fc.assert(
      fc.property(choicesArbitrary, fc.boolean(), (choices, isNarrow) => {
        const address = writeLogsAddress({ other: 'kept', wrap: '1' }, choices, isNarrow);
        expect(readLogsAddress(address, isNarrow)).toEqual(choices);
        expect(address.other).toBe('kept');
      }),
    );
  });

  it.each([true, false])('writes nothing for the defaults, and wraps only narrow windows: %s', (isNarrow) => {
    const choices = readLogsAddress({}, isNarrow);
    expect(choices.wrap).toBe(isNarrow);
    expect(writeLogsAddress({}, choices, isNarrow)).toEqual({});
  });

  it('falls back to the defaults for invalid parameters', () => {
    expect(readLogsAddress({ levels: 'severe,nonsense', time: 'mars', mode: 'x', wrap: 'yes' }, true)).toMatchObject({
      levels: ['severe'],
      timestamps: 'local',
      mode: 'highlight',
      wrap: false,
    });
  });

  it('builds a query without a pattern for an empty search', () => {
    expect(toLogQuery(readLogsAddress({ regex: '1' }, false)).pattern).toBe(null);
  });
});
