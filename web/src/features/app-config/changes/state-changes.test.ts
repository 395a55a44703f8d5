import { type AppConfig, getConfig } from '@portal/contract/app-config';
import { expect, test } from 'vitest';
import { getRequestedChange } from './state-changes.ts';

const config = (state: Pick<AppConfig, 'disabled' | 'locked'>): AppConfig =>
  getConfig.response.parse({ processEntryPointTimeouts: {}, maxDatabaseResults: 100, ...state });

test.each([
  ['disable', 'Disable this app?'],
  ['enable', undefined],
  ['lock', undefined],
  ['unlock', 'Unlock this app?'],
  ['delete', undefined],
  [undefined, undefined],
])('an address that requests %s of an enabled, locked app leads to: %s', (requested, title) => {
  expect(getRequestedChange(requested, config({ disabled: false, locked: true }))?.effect.title).toBe(title);
});
