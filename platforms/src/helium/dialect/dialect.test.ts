import { describe, expect, it } from 'vitest';
import { readAppConfig, writeAppConfig } from './app-config.ts';
import { readAppList } from './app-list.ts';
import { defaultDialect, heliumDialect } from './dialect.config.ts';
import { readScheduledEvents } from './scheduled-events.ts';

const { appList, appConfig, scheduledEvents } = defaultDialect;
const app = {
  id: '0a1b2c3d-0000-4000-8000-000000000001',
  name: 'Clinic',
  fqdn: 'clinic.example.org',
  schemaName: 'clinic_001',
};
const event = { schedule: '* * * * *', unit: 'Nightly', event: 'close', state: 'Enabled' };

describe('lists', () => {
  it('keeps an app without an address and skips apps that cannot be read, with the reason', () => {
    const { fqdn: _, ...withoutAddress } = app;
    const list = [app, withoutAddress, { ...app, id: 7 }, { ...app, schemaName: null }, 'Clinic'];
    expect(readAppList(appList, list)).toEqual({
      entries: [app, { ...app, fqdn: '' }],
      skipped: ['entry 3: id: 7 is no text', 'entry 4: schemaName: null is no text', 'entry 5: not an object'],
    });
  });

  it('keeps the scheduled functions whose state is known', () => {
    const list = [event, { ...event, event: 'open', state: true }];
    expect(readScheduledEvents(scheduledEvents, list)).toEqual({
      entries: [event],
      skipped: ['entry 2: state: true is neither "Enabled" nor "Disabled"'],
    });
  });

  it('rejects a list in another position, and one that has entries but none that can be read', () => {
    expect(() => readAppList(appList, { content: [app] })).toThrow('the response is not a list');
    expect(() => readAppList(appList, [{ ...app, id: 'one' }])).toThrow('entry 1: id: "one" is no UUID');
    expect(readAppList(appList, [])).toEqual({ entries: [], skipped: [] });
  });
});

describe('app configuration', () => {
  const config = { processEntryPointTimeouts: { 'A:a': 15 }, maxDatabaseResults: 500, disabled: false, locked: true };

  it('may lack messages, timeouts and the maximum, or have null', () => {
    expect(readAppConfig(appConfig, { disabled: false, locked: false, maxDatabaseResults: null })).toEqual({
      processEntryPointTimeouts: {},
      maxDatabaseResults: 1000,
      disabled: false,
      disabledMessage: null,
      locked: false,
      lockedMessage: null,
      skipped: [],
      otherFields: [],
    });
  });

  it('skips a timeout that cannot be read', () => {
    const reading = readAppConfig(appConfig, { ...config, processEntryPointTimeouts: { 'A:a': 15, 'B:b': 'five' } });
    expect(reading.processEntryPointTimeouts).toEqual({ 'A:a': 15 });
    expect(reading.skipped).toEqual(['timeout of "B:b": "five" is not above 0']);
  });

  it('is rejected when a flag is missing, so that a locked app is never shown as unlocked', () => {
    expect(() => readAppConfig(appConfig, { ...config, locked: undefined })).toThrow('locked: missing is neither');
  });

  it('is changed by a merge patch in its own unit, names and spelling', () => {
    const dialect = heliumDialect.parse({
      appConfig: {
        fields: { locked: 'lockState', processEntryPointTimeouts: 'timeouts' },
        locked: { yes: 'LOCKED', no: 'OPEN' },
        timeouts: { unit: 'seconds' },
      },
    });
    const patch = { locked: true, processEntryPointTimeouts: { 'A:a': 2, 'B:b': null } };
    expect(writeAppConfig(dialect.appConfig, patch)).toEqual({
      lockState: 'LOCKED',
      timeouts: { 'A:a': 120, 'B:b': null },
    });
  });

  it('is changed as a whole with everything it came with', () => {
    const dialect = heliumDialect.parse({ appConfig: { object: 'data', write: { style: 'whole' } } });
    const before = { version: 3, data: { ...config, owner: 'ann' } };
    expect(writeAppConfig(dialect.appConfig, { maxDatabaseResults: 9 }, before)).toEqual({
      version: 3,
      data: { ...config, owner: 'ann', maxDatabaseResults: 9 },
    });
  });
});
