import { expect, test } from 'vitest';
import { joinDateAndTime, parseDay, parseTime } from './date-entry.ts';

test.each([
  ['2026-12-01', '2026-12-01'],
  [' 2026/12/1 ', '2026-12-01'],
  ['20261201', '2026-12-01'],
  ['2026-13-01', null],
  ['2026-02-30', null],
  ['2026-12', null],
  ['1 Dec', null],
  ['', null],
])('reads the typed day %j as %s', (text, day) => {
  expect(parseDay(text)).toBe(day);
});

test.each([
  ['18:00', '18:00:00'],
  ['18:00:30', '18:00:30'],
  ['6:35', '06:35:00'],
  ['1835', '18:35:00'],
  ['18', '18:00:00'],
  ['18:', null],
  ['18:60', null],
  ['24:00', null],
  ['', null],
])('reads the typed time %j as %s', (text, time) => {
  expect(parseTime(text)).toBe(time);
});

test('joins a day and a time only when both are complete', () => {
  expect(joinDateAndTime('2026-12-1', '18:00')).toBe('2026-12-01 18:00:00');
  expect(joinDateAndTime('2026-12-1', '')).toBeNull();
  expect(joinDateAndTime('', '18:00')).toBeNull();
});
