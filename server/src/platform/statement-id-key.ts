import { createHmac } from 'node:crypto';
import { Secret } from '@portal/kit/secret';

/**
 * Derives the key of statements' ids. It is the same on every node, and does not reveal the
 * encryption key to the data sources that receive it.
 */
export function deriveStatementIdKey(encryptionKey: Secret): Secret {
  const key = Buffer.from(encryptionKey.reveal(), 'hex');
  return new Secret(createHmac('sha256', key).update('portal statement ids').digest('hex'));
}
