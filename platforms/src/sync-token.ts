/**
 * The token with which the portal's server authenticates to the sync service; both derive it from
 * the same configuration.
 */
import { createHmac } from 'node:crypto';
import { Secret } from '@portal/kit/secret';

interface SyncTokenSource {
  /** `sync.token`, when configured. */
  readonly token: Secret | undefined;
  /** 32 bytes as 64 hexadecimal digits. */
  readonly encryptionKey: Secret;
}

/**
 * Returns the configured token, or one derived from the encryption key, which does not reveal the
 * key.
 */
export function deriveSyncToken({ token, encryptionKey }: SyncTokenSource): Secret {
  if (token !== undefined) return token;
  const key = Buffer.from(encryptionKey.reveal(), 'hex');
  return new Secret(createHmac('sha256', key).update('portal sync service').digest('hex'));
}
