import { createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEncryption, loadOrCreateEncryptionKey } from './encryption.ts';
import { Secret } from './secret.ts';

const newKey = () => new Secret(randomBytes(32).toString('hex'));
const encryption = createEncryption(newKey());

describe('encryption', () => {
  it('decrypts every text, and never encrypts it the same way twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = encryption.encrypt(text, 'place');
        expect(encryption.decrypt(sealed, 'place')).toBe(text);
        expect(encryption.encrypt(text, 'place')).not.toEqual(sealed);
      }),
    );
  });

  it('uses AES-256-GCM', () => {
    const key = newKey();
    const sealed = createEncryption(key).encrypt('secret', 'place');
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key.reveal(), 'hex'), sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from('place')).setAuthTag(sealed.subarray(12, 28));
    expect(decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8')).toBe('secret');
  });

  it('rejects a changed byte, another context and another key', () => {
    const sealed = encryption.encrypt('secret', 'place');
    for (const [index, byte] of sealed.entries()) {
      const changed = Buffer.from(sealed);
      changed[index] = byte ^ 1;
      expect(() => encryption.decrypt(changed, 'place')).toThrow();
    }
    expect(() => encryption.decrypt(sealed, 'elsewhere')).toThrow();
    expect(() => createEncryption(newKey()).decrypt(sealed, 'place')).toThrow();
  });
});

describe('encryption key', () => {
  it('creates the encryption key once, readable by its owner only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-key-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const state = join(folder, 'state');
    const key = loadOrCreateEncryptionKey(state).reveal();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(loadOrCreateEncryptionKey(state).reveal()).toBe(key);
    expect(statSync(join(state, 'encryption-key')).mode & 0o777).toBe(0o600);
  });
});
