/**
 * What the portal's server proves itself with to the sync service; both make it from the same
 * configuration.
 */
import { createHmac } from 'node:crypto';
import { Secret } from '@portal/kit/secret';

interface SyncTokenSource {
  /** `sync.token`, where it is configured. */
  readonly token: Secret | undefined;
  /** 32 bytes as 64 hexadecimal digits. */
  readonly encryptionKey: Secret;
}

/**
 * The configured token; otherwise one derived from the encryption key, which tells nothing of the
 * key.
 */
export function deriveSyncToken({ token, encryptionKey }: SyncTokenSource): Secret {
  if (token !== undefined) return token;
  const key = Buffer.from(encryptionKey.reveal(), 'hex');
  return new Secret(createHmac('sha256', key).update('portal sync service').digest('hex'));
}
