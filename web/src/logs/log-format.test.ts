import { describe, expect, it } from 'vitest';
import { countOf, formatFullTimestamp, formatTimestamp } from '../lib/format.ts';
import { continuesEntry, errorNameOf, isTraceLine, levelWordOf, withPlainBreaks } from './log-format.ts';

describe('trace lines', () => {
  it.each([
    '\tat za.co.Clinic.close(Clinic.java:12)',
    '    at Unit:fn',
    'Caused by: java.io.IOException: gone',
    '\t... 12 more',
    '\tSuppressed: java.lang.Error',
    'Suppressed: java.lang.Error',
  ])('knows %j', (line) => expect(isTraceLine(line)).toBe(true));

  it.each(['', 'at noon', ' attached', 'Causing', '... more', 'Saved', ' indented text', '...'])(
    'leaves %j alone',
    (line) => expect(isTraceLine(line)).toBe(false),
  );

  it('belong to the error before them, whatever their own key', () => {
    expect(continuesEntry('INFO', '\tat a.b(C)', 'severe')).toBe(true);
    expect(continuesEntry('SEVERE', '\tat a.b(C)', 'error')).toBe(true);
  });

  it('do not vanish below an INFO line that came between', () => {
    expect(continuesEntry('SEVERE', '\tat a.b(C)', 'info')).toBe(false);
    expect(continuesEntry('INFO', '\tat a.b(C)', 'info')).toBe(true);
    expect(continuesEntry('SEVERE', '\tat a.b(C)', null)).toBe(false);
  });
});

describe('words and names', () => {
  it('shows the level, or ERROR with the name of the error', () => {
    expect(levelWordOf('Severe')).toBe('SEVERE');
    expect(levelWordOf('java.lang.NullPointerException')).toBe('ERROR');
    expect(errorNameOf('Runtime Error', '[Clinic:12] no such row')).toBe('Runtime Error: ');
    expect(errorNameOf('Runtime Error', 'Runtime Error in Clinic')).toBe('');
    expect(errorNameOf('INFO', 'started')).toBe('');
  });

  it('makes every break a plain one and ends in none', () => {
    expect(withPlainBreaks('a\r\nb\rc\n\n')).toBe('a\nb\nc');
  });

  it('counts in words', () => {
    expect(countOf(1, 'line')).toBe('1 line');
    expect(countOf(12_345, 'line')).toBe('12,345 lines');
  });
});

describe('timestamps', () => {
  const millis = Date.UTC(2026, 10, 3, 23, 4, 5, 6);

  it('are the time of day, with the date on other days', () => {
    expect(formatTimestamp(millis, 'utc', millis)).toBe('23:04:05.006Z');
    expect(formatTimestamp(millis, 'utc', millis + 3_600_000)).toBe('2026-11-03 23:04:05.006Z');
    expect(formatTimestamp(millis, 'none', millis)).toBe('');
  });

  it('are whole in files and copies', () => {
    expect(formatFullTimestamp(millis, 'utc')).toBe('2026-11-03 23:04:05.006Z');
    expect(formatFullTimestamp(millis, 'local')).toMatch(/^2026-11-0[34] \d\d:04:05\.006$/);
  });

  it('survive a platform that sends nonsense', () => {
    expect(formatTimestamp(Number.MAX_VALUE, 'utc', millis)).toContain('e+308');
  });
});
