import { createHmac } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import { expect, it } from 'vitest';
import { deriveSyncToken } from './sync-token.ts';

const encryptionKey = new Secret('0f'.repeat(32));

it('returns the configured sync token', () => {
  expect(deriveSyncToken({ token: new Secret('said'), encryptionKey }).reveal()).toBe('said');
});

it('derives the sync token from the encryption key, the same in both services', () => {
  const derived = deriveSyncToken({ token: undefined, encryptionKey }).reveal();
  expect(derived).toBe(createHmac('sha256', Buffer.alloc(32, 15)).update('portal sync service').digest('hex'));
  const other = new Secret('0e'.repeat(32));
  expect(deriveSyncToken({ token: undefined, encryptionKey: other }).reveal()).not.toBe(derived);
});
