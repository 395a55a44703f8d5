import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';
import { Secret } from './secret.ts';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts short texts at rest with AES-256-GCM, which detects any change. `context` binds a
 * ciphertext to its location.
 */
export interface Encryption {
  encrypt(text: string, context: string): Buffer;
  /** Throws if the key, the context or any byte has changed since encryption. */
  decrypt(sealed: Buffer, context: string): string;
}

/** @param key 32 bytes as 64 hexadecimal digits */
export function createEncryption(key: Secret): Encryption {
  const bytes = Buffer.from(key.reveal(), 'hex');
  if (bytes.length !== 32) throw new Error('The encryption key must be 32 bytes, written as 64 hexadecimal digits.');
  return {
    encrypt(text, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    decrypt(sealed, context) {
      const iv = sealed.subarray(0, ivBytes);
      const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', bytes, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
      return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/** Returns the key in the state folder. The first start creates it, readable by its owner only. */
export function loadOrCreateEncryptionKey(stateFolder: string): Secret {
  const path = join(stateFolder, 'encryption-key');
  makePrivateFolder(stateFolder);
  const temporaryPath = `${path}.${process.pid}`;
  writeFileSync(temporaryPath, randomBytes(32).toString('hex'), { mode: 0o600 });
  try {
    // Creates the file atomically, and never replaces a key that a concurrent start created.
    linkSync(temporaryPath, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(temporaryPath, { force: true });
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return new Secret(readFileSync(path, 'utf8').trim());
}
