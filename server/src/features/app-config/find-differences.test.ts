import type { AppConfigReading } from '@portal/platforms/helium/client';
import { describe, expect, it } from 'vitest';
import { describeDifferences, describeOtherMessage } from './find-differences.ts';

const before: AppConfigReading = {
  processEntryPointTimeouts: { 'A:a': 15 },
  maxDatabaseResults: 1000,
  disabled: false,
  disabledMessage: null,
  locked: true,
  lockedMessage: 'Stocktaking',
  skipped: [],
  otherFields: ['owner', 'limits.memory'],
};
const requested = { maxDatabaseResults: 500 };
const after = { ...before, ...requested };
const describeAfter = (changed: Partial<AppConfigReading>) =>
  describeDifferences(before, requested, { ...after, ...changed });
const changedAsWell = (what: string) =>
  `Not as requested: the platform made the change, and others with it. Changed as well: ${what}.`;

describe('differences after a configuration change', () => {
  it('are none if only the requested setting changed', () => {
    expect(describeAfter({})).toBeNull();
    expect(describeAfter({ otherFields: [...before.otherFields, 'lastChangedBy'] })).toBeNull();
  });

  it('include fields without a setting that vanished', () => {
    expect(describeAfter({ otherFields: ['owner'] })).toBe(changedAsWell('Field limits.memory removed'));
  });

  it('include messages whose flag did not change', () => {
    expect(describeAfter({ lockedMessage: null })).toBe(changedAsWell('Locked message removed (was "Stocktaking")'));
    expect(describeAfter({ lockedMessage: 'Closed' })).toBe(changedAsWell('Locked message "Stocktaking" → "Closed"'));
    expect(describeAfter({ disabledMessage: 'Closed' })).toBe(changedAsWell('Disabled message set to "Closed"'));
  });

  it('do not include messages that follow their flag', () => {
    expect(describeAfter({ locked: false, lockedMessage: null })).toBe(changedAsWell('App unlocked'));
    const unlock = { locked: false, lockedMessage: null };
    expect(describeDifferences(before, unlock, { ...before, ...unlock })).toBeNull();
    expect(describeDifferences(before, unlock, { ...before, locked: false })).toBeNull();
  });
});

describe('note about a message that was sent', () => {
  const disable = { disabled: true, disabledMessage: 'Closed' };
  it.each([
    [{ disabled: true, disabledMessage: 'Closed' }, undefined],
    [{ disabled: true, disabledMessage: null }, 'The disabled message reads back differently: it is not set.'],
    [{ disabled: true, disabledMessage: 'Off' }, 'The disabled message reads back differently: it is "Off".'],
  ])('of %j', (now, note) => {
    expect(describeOtherMessage(disable, { ...before, ...now })).toBe(note);
  });

  it('is not needed for an app that was enabled', () => {
    expect(describeOtherMessage({ disabled: false, disabledMessage: null }, before)).toBeUndefined();
  });
});
