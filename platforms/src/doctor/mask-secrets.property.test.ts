import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskDocument, maskText } from './mask-secrets.ts';

const field = fc.constantFrom('password', 'dbPassword', 'PASSWD', 'clientSecret', 'accessToken', 'api_key', 'apiKey');
const others = fc.constantFrom('Authorization', 'credentials', 'Set-Cookie', 'private-key', 'db_pass', 'pwd');
const word = fc.stringMatching(/^[!-~]{1,40}$/);
const inAddress = word.map(encodeURIComponent);

/** Texts with a secret, by where it is. */
const texts: readonly (readonly [where: string, secret: fc.Arbitrary<string>, toText: (secret: string) => string])[] = [
  [
    'an Authorization header',
    fc.string(),
    (secret) => `Authorization: Basic ${Buffer.from(secret).toString('base64')} was refused`,
  ],
  ['a bearer token', word, (secret) => `Sent: bearer ${secret}`],
  ['the user of an address', inAddress, (secret) => `no route to postgres://${secret}@db:5432/helium`],
  ['the password of an address', inAddress, (secret) => `jdbc:postgresql://helium:${secret}@db:5432/helium failed`],
  ['a parameter of an address', fc.string(), (secret) => `GET /apps?apiKey=${secret}&page=2`],
  ['a setting', fc.string(), (secret) => `host=db password=${secret}`],
  ['JSON in a text', fc.string(), (secret) => JSON.stringify({ name: 'a', dbPassword: secret, port: 1 })],
];

describe('masked secrets', () => {
  it('masking a field leaves the same document, whatever its secret is, and wherever the field is', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(field, others), value, value, (name, one, other) => {
        const toDocument = (secret: unknown) => ({ list: [{ id: 1, [name]: secret, title: 'a' }], [name]: secret });
        expect(maskDocument(toDocument(one))).toEqual(maskDocument(toDocument(other)));
        expect(maskDocument(toDocument(one))).toMatchObject({ list: [{ id: 1, title: 'a', [name]: '•••' }] });
      }),
    );
  });

  it.each(texts)('masking a secret in %s leaves the same text, whatever the secret is', (_, secret, toText) => {
    fc.assert(
      fc.property(secret, secret, (one, other) => {
        expect(maskText(toText(one))).toBe(maskText(toText(other)));
        expect(maskText(toText(one))).toContain('•••');
      }),
    );
  });

  it('a secret is not looked for anywhere else, so that a short password leaves every other text as it is', () => {
    const document = { name: 'a', apps: ['Clinic Visits', 'a'], note: 'The platform does not accept the password' };
    expect(maskDocument(document)).toEqual(document);
  });

  it('a document that is nested too deeply loses its depths', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(JSON.stringify(maskDocument(deep))).toBe(`${'['.repeat(50)}"•••"${']'.repeat(50)}`);
  });
});
