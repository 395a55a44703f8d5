import { describe, expect, it } from 'vitest';
import { formatFullTimestamp, formatTimestamp } from '../../format/instants.ts';
import { formatPlural } from '../../format/numbers.ts';
import { continuesEntry, getErrorPrefix, getLevelLabel, isTraceLine, withPlainBreaks } from './log-format.ts';

describe('stack trace lines', () => {
  it.each([
    '\tat za.co.Clinic.close(Clinic.java:12)',
    '    at Unit:fn',
    'Caused by: java.io.IOException: gone',
    '\t... 12 more',
    '\tSuppressed: java.lang.Error',
    'Suppressed: java.lang.Error',
  ])('recognizes %j', (line) => expect(isTraceLine(line)).toBe(true));

  it.each(['', 'at noon', ' attached', 'Causing', '... more', 'Saved', ' indented text', '...'])(
    'does not recognize %j',
    (line) => expect(isTraceLine(line)).toBe(false),
  );

  it('continue the error before them regardless of their own key', () => {
    expect(continuesEntry('INFO', '\tat a.b(C)', 'severe')).toBe(true);
    expect(continuesEntry('SEVERE', '\tat a.b(C)', 'error')).toBe(true);
  });

  it('start their own entry after an INFO line from another thread', () => {
    expect(continuesEntry('SEVERE', '\tat a.b(C)', 'info')).toBe(false);
    expect(continuesEntry('INFO', '\tat a.b(C)', 'info')).toBe(true);
    expect(continuesEntry('SEVERE', '\tat a.b(C)', null)).toBe(false);
  });
});

describe('log levels and error names', () => {
  it('shows the level, or ERROR with the name of the error', () => {
    expect(getLevelLabel('Severe')).toBe('SEVERE');
    expect(getLevelLabel('java.lang.NullPointerException')).toBe('ERROR');
    expect(getErrorPrefix('Runtime Error', '[Clinic:12] no such row')).toBe('Runtime Error: ');
    expect(getErrorPrefix('Runtime Error', 'Runtime Error in Clinic')).toBe('');
    expect(getErrorPrefix('INFO', 'started')).toBe('');
  });

  it('normalizes line breaks and removes trailing ones', () => {
    expect(withPlainBreaks('a\r\nb\rc\n\n')).toBe('a\nb\nc');
  });

  it('formats a count with its noun', () => {
    expect(formatPlural(1, 'line')).toBe('1 line');
    expect(formatPlural(12_345, 'line')).toBe('12,345 lines');
  });
});

describe('log timestamps', () => {
  const millis = Date.UTC(2026, 10, 3, 23, 4, 5, 6);

  it('show the time of day, and the date for other days', () => {
    expect(formatTimestamp(millis, 'utc', millis)).toBe('23:04:05.006Z');
    expect(formatTimestamp(millis, 'utc', millis + 3_600_000)).toBe('2026-11-03 23:04:05.006Z');
    expect(formatTimestamp(millis, 'none', millis)).toBe('');
  });

  it('show date and time in files and copied text', () => {
    expect(formatFullTimestamp(millis, 'utc')).toBe('2026-11-03 23:04:05.006Z');
    expect(formatFullTimestamp(millis, 'local')).toMatch(/^2026-11-0[34] \d\d:04:05\.006$/);
  });

  it('fall back to the raw value for invalid times', () => {
    expect(formatTimestamp(Number.MAX_VALUE, 'utc', millis)).toContain('e+308');
  });
});
