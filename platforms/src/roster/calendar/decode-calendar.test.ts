import { describe, expect, it } from 'vitest';
import { decodeCalendar } from './decode-calendar.ts';

const name = 'SUMMARY:Zoë';

describe('text of a feed', () => {
  it.each([
    ['text/calendar; charset=ISO-8859-1', Buffer.from(name, 'latin1')],
    ['text/calendar;charset="windows-1252"', Buffer.from(name, 'latin1')],
    ['text/calendar; charset=utf-8', Buffer.from(name)],
    ['text/calendar', Buffer.from(name)],
    ['text/calendar; charset=nothing', Buffer.from(name)],
    [null, Buffer.from(name)],
    ['text/calendar; charset=utf-16le', Buffer.from(name, 'utf16le')],
    [null, Buffer.from(`\uFEFF${name}`, 'utf16le')],
    ['text/calendar; charset=utf-16', Buffer.from(`\uFEFF${name}`, 'utf16le').swap16()],
    // The mark is more reliable than the header.
    ['text/calendar; charset=iso-8859-1', Buffer.from(`\uFEFF${name}`)],
  ])('is decoded by its charset: %s', (contentType, bytes) => {
    expect(decodeCalendar(bytes, contentType)).toBe(name);
  });

  it('has the quotes and dashes of Windows-1252', () => {
    const bytes = Buffer.from('SUMMARY:team\x92s \x96 \x80', 'latin1');
    expect(decodeCalendar(bytes, 'text/calendar; charset=windows-1252')).toBe('SUMMARY:team’s – €');
  });

  it('is complete when a line is folded within a character', () => {
    const [before, after] = [Buffer.from('SUMMARY:Zo\xc3', 'latin1'), Buffer.from('\xab Botha\r\nUID:1', 'latin1')];
    for (const fold of ['\r\n ', '\n\t', '\r '])
      expect(decodeCalendar(Buffer.concat([before, Buffer.from(fold), after]), null).split(/[\r\n]+/)[0]).toBe(
        fold === '\r ' ? 'SUMMARY:Zo\ufffd' : 'SUMMARY:Zoë Botha',
      );
    const withoutLineFeeds = Buffer.concat([before, Buffer.from('\r '), Buffer.from('\xab\rUID:1\r', 'latin1')]);
    expect(decodeCalendar(withoutLineFeeds, null)).toBe('SUMMARY:Zoë\nUID:1\n');
  });
});
