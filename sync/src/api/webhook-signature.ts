import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether the signature is the HMAC-SHA256 of the body with one of the secrets, in hex or base64:
 * Journey does not document which. All are compared in constant time.
 */
export function isSigned(body: Buffer, signature: string, secrets: readonly string[]): boolean {
  const sent = [Buffer.from(signature, 'hex'), Buffer.from(signature, 'base64')];
  return secrets
    .map((secret) => createHmac('sha256', secret).update(body).digest())
    .map((expected) => sent.some((one) => one.length === expected.length && timingSafeEqual(one, expected)))
    .includes(true);
}
