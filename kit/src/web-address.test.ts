import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretWebAddress, toRequestTarget, webAddress } from './web-address.ts';

it.each([
  'https://user:secret@host.example/',
  'https://user@host.example/',
  'https://:secret@host.example/',
  'HTTPS://us er:se/cret@host.example@other/',
])('refuses an address that people may see and that has credentials: %s', (address) => {
  const { error } = webAddress.safeParse(address);
  expect(error?.issues[0]?.message).toMatch(/^(must not contain a user name or password|Invalid URL)$/);
});

it('accepts an address with an @ in its path', () => {
  expect(webAddress.parse('https://host.example/@team?mail=a@b')).toBe('https://host.example/@team?mail=a@b');
});

it('refuses a user name that HTTP Basic cannot send, without repeating it', () => {
  const { error } = secretWebAddress.safeParse('https://us%3Aer:secret@host.example/');
  expect(error?.issues.map(({ message }) => message)).toEqual(['must not have a colon in its user name']);
});

it('takes the credentials of an address out of it and into the header of HTTP Basic', () => {
  const text = fc.string({ minLength: 1 }).filter((each) => !/[:\p{Cs}]/u.test(each));
  fc.assert(
    fc.property(text, text, (user, password) => {
      const address = `https://${encodeURIComponent(user)}:${encodeURIComponent(password)}@host.example/feed?a=b`;
      const { url, headers } = toRequestTarget(address);
      expect(url).toBe('https://host.example/feed?a=b');
      const [, encoded = ''] = headers.authorization?.split(' ') ?? [];
      expect(Buffer.from(encoded, 'base64').toString('utf8')).toBe(`${user}:${password}`);
    }),
  );
});

it('sends no credentials where an address has none, and a percent sign of a password as it is', () => {
  expect(toRequestTarget('https://host.example/feed')).toEqual({ url: 'https://host.example/feed', headers: {} });
  const { headers } = toRequestTarget('https://u:100%@host.example/');
  expect(headers.authorization).toBe(`Basic ${btoa('u:100%')}`);
});
