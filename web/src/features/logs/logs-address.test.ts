import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogChoices, toLogQuery } from '../../logs/log-choices.ts';
import { logLevels, timestampModes } from '../../logs/log-format.ts';
import { readLogsAddress, writeLogsAddress } from './logs-address.ts';

const choicesArbitrary: fc.Arbitrary<LogChoices> = fc.record({
  levels: fc.option(fc.subarray([...logLevels]), { nil: null }),
  find: fc.string(),
  isRegExp: fc.boolean(),
  matchCase: fc.boolean(),
  mode: fc.constantFrom('filter', 'highlight'),
  wrap: fc.boolean(),
  timestamps: fc.constantFrom(...timestampModes),
});

describe('log view settings in the address', () => {
  it('round-trips the view settings and preserves other parameters', () => {
    fc.assert(
      fc.property(choicesArbitrary, (choices) => {
        const address = writeLogsAddress({ other: 'kept', wrap: '1' }, choices);
        expect(readLogsAddress(address)).toEqual(choices);
        expect(address.other).toBe('kept');
      }),
    );
  });

  it('writes nothing for the defaults', () => {
    expect(writeLogsAddress({}, readLogsAddress({}))).toEqual({});
  });

  it('falls back to the defaults for invalid parameters', () => {
    expect(readLogsAddress({ levels: 'severe,nonsense', time: 'mars', mode: 'x', wrap: 'yes' })).toMatchObject({
      levels: ['severe'],
      timestamps: 'local',
      mode: 'highlight',
      wrap: false,
    });
  });

  it('builds a query without a pattern for an empty search', () => {
    expect(toLogQuery(readLogsAddress({ regex: '1' })).pattern).toBe(null);
  });
});
