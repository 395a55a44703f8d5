import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

const iterations = 4096;

/**
 * Returns what PostgreSQL stores of a password (RFC 5803). Sent instead of the password, it keeps
 * the password out of the server's logs and statistics. The same input gives the same text, so
 * that two processes that set it do not undo each other's.
 *
 * @param salt 16 bytes
 */
export function toScramVerifier(password: string, salt: Buffer): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const sign = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${sign('Server Key').toString('base64')}`;
}
