import { expect, it } from 'vitest';
import { shortenValue } from './shorten-value.ts';

it('returns a value of up to 100 characters unchanged', () => {
  for (const value of ['', 'Clinic Visits', 'grün 🚜', 'x'.repeat(100)]) expect(shortenValue(value)).toBe(value);
});

it('cuts a longer value to 100 characters, without half of a character', () => {
  expect(shortenValue('x'.repeat(900_000))).toBe(`${'x'.repeat(99)}…`);
  expect(shortenValue(`${'x'.repeat(98)}🚜…`)).toBe(`${'x'.repeat(98)}\uFFFD…`);
});

it('replaces control characters, which could forge a line of a log', () => {
  expect(shortenValue('a\r\nb\0')).toBe('a\uFFFD\uFFFDb\uFFFD');
});
