import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogChoices, queryOf } from '../../logs/log-choices.ts';
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

describe('the address of a log', () => {
  it('shows whoever gets the link what I see, and leaves the rest of the address alone', () => {
    fc.assert(
      fc.property(choicesArbitrary, (choices) => {
        const address = writeLogsAddress({ other: 'kept', wrap: '1' }, choices);
        expect(readLogsAddress(address)).toEqual(choices);
        expect(address.other).toBe('kept');
      }),
    );
  });

  it('is empty while everything is as by default', () => {
    expect(writeLogsAddress({}, readLogsAddress({}))).toEqual({});
  });

  it('takes no harm from slips', () => {
    expect(readLogsAddress({ levels: 'severe,nonsense', time: 'mars', mode: 'x', wrap: 'yes' })).toMatchObject({
      levels: ['severe'],
      timestamps: 'local',
      mode: 'highlight',
      wrap: false,
    });
  });

  it('searches for nothing while nothing is typed', () => {
    expect(queryOf(readLogsAddress({ regex: '1' })).pattern).toBe(null);
  });
});
