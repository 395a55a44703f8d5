import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../helium/dialect/dialect.config.ts';
import { suggestAppConfig } from './suggest-app-config.ts';

const { appConfig } = defaultDialect;
const flags = { disabled: false, locked: false };

describe('suggested unit of timeouts', () => {
  it.each([
    ['timeoutMillis', 90_500, 'milliseconds'],
    ['processTimeoutsMs', 90_500, 'milliseconds'],
    ['timeoutsInSeconds', 7, 'seconds'],
    ['timeout_secs', 7, 'seconds'],
    ['timeoutMinutes', 120, 'minutes'],
    ['adminTimeouts', 120_000, 'milliseconds'],
    ['entryPointTimeouts', 300, 'seconds'],
    ['entryPointTimeouts', 15, 'minutes'],
  ])('of %s with the value %d is %s', (name, value, unit) => {
    const { fields, timeouts } = suggestAppConfig(appConfig, [{ ...flags, [name]: { 'A:a': value } }]);
    expect(fields.processEntryPointTimeouts).toBe(name);
    expect(timeouts.unit).toBe(unit);
  });

  it.each(['minutes', 'seconds'] as const)('stays %s where the configured name fits', (unit) => {
    const configured = { ...appConfig, timeouts: { ...appConfig.timeouts, unit } };
    const documents = [{ ...flags, processEntryPointTimeouts: { 'A:a': 120 } }];
    expect(suggestAppConfig(configured, documents)).toEqual(configured);
  });
});

describe('suggested flag', () => {
  it('is inverted if the platform has the opposite of disabled', () => {
    const suggested = suggestAppConfig(appConfig, [{ active: 'ON', locked: false }]);
    expect(suggested.fields.disabled).toBe('active');
    expect(suggested.disabled).toEqual({ yes: 'OFF', no: 'ON' });
  });

  it('stays inverted once it is configured', () => {
    const documents = [{ active: 'ON', locked: false }];
    const once = suggestAppConfig(appConfig, documents);
    expect(suggestAppConfig(once, documents)).toEqual(once);
  });
});
