import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from './secret.ts';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts small texts at rest: AES-256-GCM, so that a changed byte is noticed. `about` binds a
 * text to its place.
 */
export interface Encryption {
  encrypt(text: string, about: string): Buffer;
  /** Throws when the key, the place or a byte is another than at encryption. */
  decrypt(sealed: Buffer, about: string): string;
}

/** @param key 32 bytes as 64 hexadecimal digits */
export function createEncryption(key: Secret): Encryption {
  const bytes = Buffer.from(key.reveal(), 'hex');
  if (bytes.length !== 32) throw new Error('The encryption key is not 32 bytes as 64 hexadecimal digits.');
  return {
    encrypt(text, about) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    decrypt(sealed, about) {
      const iv = sealed.subarray(0, ivBytes);
      const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', bytes, iv).setAAD(Buffer.from(about)).setAuthTag(tag);
      return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/** The key of the state folder, made at the first start and readable by its owner only. */
export function loadOrCreateEncryptionKey(stateFolder: string): Secret {
  const path = join(stateFolder, 'encryption-key');
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const made = `${path}.${process.pid}`;
  writeFileSync(made, randomBytes(32).toString('hex'), { mode: 0o600 });
  try {
    // Whole or not at all, and never over one that another start made in the same moment.
    linkSync(made, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(made, { force: true });
  }
  return new Secret(readFileSync(path, 'utf8').trim());
}
