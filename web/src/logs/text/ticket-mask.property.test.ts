import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeMasked, maskForTicket } from './ticket-mask.ts';

const digits = (count: number) =>
  fc.array(fc.nat(9), { minLength: count, maxLength: count }).map((list) => list.join(''));
const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'stream'), minLength: min, maxLength: max });
const secretText = fc.string({ unit: fc.constantFrom(...'abcXYZ0189!$*+-_'), minLength: 4, maxLength: 30 });

const secrets = {
  email: fc.tuple(letters(1, 12), letters(2, 12)).map(([name, host]) => `${name}@${host}.co.za`),
  phone: fc.oneof(
    digits(9).map((rest) => `+27${rest}`),
    digits(7).map((rest) => `+260 97 ${rest}`),
    digits(7).map((rest) => `083 ${rest.slice(0, 3)} ${rest.slice(3)}`),
  ),
  identity: fc.oneof(
    digits(7).map((rest) => `800101${rest}`),
    digits(6).map((number) => `${number}/51/1`),
    digits(8).map((rest) => `1${rest}`),
  ),
  reference: fc.oneof(
    fc.nat(999_999).map((number) => `P0000${number}`),
    fc.nat(99_999).map((number) => `CCMDD00${number}`),
    fc.nat(99_999).map((number) => `HH000${number}`),
  ),
  token: fc.oneof(
    letters(20, 60).map((rest) => `eyJ${rest}.${rest}.${rest}`),
    letters(31, 60).map((rest) => `7${rest}`),
  ),
} as const;

const word = fc.constantFrom('Visit 48213 of', 'saved', 'at 23:04:05.006', '2026-11-03', 'took 0.000000919 s', 'app');
const keep = fc.constantFrom(
  '1763900000000',
  'b52a92b9-b61d-5dcd-a0a9-fa38cf4511c5',
  '48213',
  'com.mezzanineware.dsl.runtime.http.OutboundApiException',
  'Clinic.java:12',
  'SQLSTATE P0001',
  'XX000',
  'SHA256',
  'facility F12',
);
const masks = {
  email: '[e-mail]',
  phone: '[phone]',
  identity: '[identity]',
  reference: '[id]',
  token: '[token]',
} as const;
const part = fc.oneof(
  word.map((text) => ({ text, masked: text })),
  keep.map((text) => ({ text, masked: text })),
  ...(['email', 'phone', 'identity', 'reference', 'token'] as const).map((kind) =>
    secrets[kind].map((text) => ({ text, masked: masks[kind] })),
  ),
  secretText.map((secret) => ({ text: `password=${secret}`, masked: 'password=[password]' })),
  secretText.map((secret) => ({ text: `{"token": "${secret}"}`, masked: '{"token": "[token]"}' })),
);

describe('copy for a ticket', () => {
  it('masks every secret, counts it, and leaves the rest', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const { text, counts } = maskForTicket(parts.map((each) => each.text).join(', '));
        expect(text).toBe(parts.map((each) => each.masked).join(', '));
        const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
        expect(total).toBe(parts.filter((each) => each.text !== each.masked).length);
      }),
    );
  });

  it('finds nothing more in a masked text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            part,
            fc.string().map((text) => ({ text })),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          const once = maskForTicket(parts.map((each) => each.text).join(' '));
          expect(maskForTicket(once.text).text).toBe(once.text);
        },
      ),
    );
  });

  it.each([
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer [token]'],
    ['https://demo:s3cret@helium.example.org/api', 'https://demo:[password]@helium.example.org/api'],
    ['{"pin":"1234","userName":"demo"}', '{"pin":"[PIN]","userName":"demo"}'],
    ['One-time PIN sent to patient P0000123', 'One-time PIN sent to patient [id]'],
    ['One-time PIN 4821 sent, OTP is 123456', 'One-time PIN [PIN] sent, OTP is [PIN]'],
    ['Parcel CCMDD00417 scanned at pick-up point', 'Parcel [id] scanned at pick-up point'],
    ['Referral slip printed for HH00017', 'Referral slip printed for [id]'],
    ['Signed in: health worker 12', 'Signed in: health worker [id]'],
    ['SMS to +27 82 555 0417 rejected by gateway', 'SMS to [phone] rejected by gateway'],
    ['Dealer 9 tried an expired voucher EV00000412', 'Dealer [id] tried an expired voucher [id]'],
    ['patient 3.5 years old, patient x', 'patient 3.5 years old, patient x'],
    ['patient '.repeat(20_000), 'patient '.repeat(20_000)],
    ['a'.repeat(100_000), 'a'.repeat(100_000)],
    ['+'.repeat(50_000), '+'.repeat(50_000)],
    ['a.'.repeat(50_000), 'a.'.repeat(50_000)],
    ['0 '.repeat(50_000), '0 '.repeat(50_000)],
  ])('masks %.60s', (text, masked) => {
    expect(maskForTicket(text).text).toBe(masked);
  });

  it('reports how many values are masked, and what was looked for', () => {
    const { counts } = maskForTicket('ann@example.org, ben@example.org, pin=1');
    const kinds = 'e-mail addresses, phone numbers, identity numbers, ids, PINs, tokens, and passwords';
    const rest = `Looks for ${kinds}. Names and other text stay: read it before you share it.`;
    expect(describeMasked(counts)).toBe(`Masked 2 e-mail addresses and 1 PIN. ${rest}`);
    expect(describeMasked(maskForTicket('nothing').counts)).toBe(`Nothing was masked. ${rest}`);
  });
});
