import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSigned } from './webhook-signature.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const secret = fc.string({ minLength: 1, maxLength: 40 });
const encoding = fc.constantFrom('hex', 'base64');
const sign = (body: Buffer, key: string, as: 'hex' | 'base64') => createHmac('sha256', key).update(body).digest(as);

test('accepts the signature with any of the secrets, in hex and base64', () => {
  fc.assert(
    fc.property(bytes, fc.array(secret, { maxLength: 3 }), secret, encoding, (body, others, own, as) => {
      expect(isSigned(body, sign(body, own, as), [...others, own])).toBe(true);
    }),
  );
});

test('accepts no other body', () => {
  fc.assert(
    fc.property(bytes, bytes, secret, encoding, (body, other, own, as) => {
      expect(isSigned(other, sign(body, own, as), [own])).toBe(body.equals(other));
    }),
  );
});

test('accepts no other secret', () => {
  fc.assert(
    fc.property(bytes, secret, secret, encoding, (body, one, other, as) => {
      expect(isSigned(body, sign(body, one, as), [other])).toBe(one === other);
    }),
  );
});

test('accepts no text that is not a signature', () => {
  fc.assert(
    fc.property(bytes, fc.string(), fc.array(secret), (body, text, secrets) => {
      expect(isSigned(body, text, secrets)).toBe(false);
    }),
  );
});
