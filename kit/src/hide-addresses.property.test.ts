import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hideAddresses, hideCredentials, hideCredentialsInJson } from './hide-addresses.ts';

const secret = 'secret-marker';
const part = fc.stringMatching(/^[!-~]{0,12}$/);
/** Whatever a person may write for a password, with separators and quotes of addresses. */
const address = fc
  .tuple(fc.constantFrom('http', 'https', 'wss', 'webcal', 'postgresql'), part, part, part)
  .map(([protocol, user, before, after]) => `${protocol}://${user}:${before}${secret}${after}@host.example/path`);
const sentence = fc.tuple(fc.string(), fc.string()).map(([before, after]) => [`${before} `, ` ${after}`] as const);

it('hides the user name and password of an address in any text', () => {
  fc.assert(
    fc.property(address, sentence, (one, [before, after]) => {
      expect(hideCredentials(`${before}${one}${after}`)).not.toContain(secret);
    }),
  );
});

it('hides them in a line of JSON, and leaves its other fields as they are', () => {
  fc.assert(
    fc.property(address, sentence, (one, [before, after]) => {
      const line = hideCredentialsInJson(JSON.stringify({ text: `${before}${one}${after}`, other: 'a@b' }));
      expect(line).not.toContain(secret);
      expect(JSON.parse(line)).toMatchObject({ other: 'a@b' });
    }),
  );
});

it('hides the path and the query of an address in any text', () => {
  const hidden = fc.constantFrom('/private-', '?token=', '/feed?a=b&key=', '#');
  fc.assert(
    fc.property(hidden, sentence, (start, [before, after]) => {
      const text = `${before}https://calendar.example:8443${start}${secret}/basic.ics${after}`;
      expect(hideAddresses(text)).not.toContain(secret);
      expect(hideAddresses(text)).toContain('https://calendar.example:8443/•••');
    }),
  );
});

it.each([
  ['Failed to parse URL from https://u:p@h/x', 'Failed to parse URL from https://•••@h/x'],
  ['no address: a@b, 10:30, a//b', 'no address: a@b, 10:30, a//b'],
  ['https://host/path', 'https://host/path'],
  ['postgres://u:p@h1,postgres://u:q@h2', 'postgres://•••@h2'],
])('hides only credentials in %j', (text, hidden) => {
  expect(hideCredentials(text)).toBe(hidden);
});

it('ends an address in JSON at the escape of a line break', () => {
  const line = String.raw`{"msg":"http://h/x\nand a@b"}`;
  expect(hideCredentialsInJson(line)).toBe(line);
});

it('keeps the places of a stack trace', () => {
  const line =
    '    at run (file:///portal/node_modules/@fastify/websocket/index.js:10:5) and node:internal/deps/undici:1:2';
  expect(hideAddresses(line)).toBe(line);
});

it('takes a text of many addresses in one pass', () => {
  const text = 'a://'.repeat(20_000);
  expect(hideCredentials(text)).toBe(text);
});
