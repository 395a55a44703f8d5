import { describe, expect, it } from 'vitest';
import { toCloseReason } from './close-reason.ts';

describe('close reason', () => {
  it('is the text itself if that has at most 123 bytes', () => {
    expect(toCloseReason('')).toBe('');
    expect(toCloseReason('x'.repeat(123))).toBe('x'.repeat(123));
  });

  it('is shortened to 123 bytes, however long the text is', () => {
    expect(toCloseReason('x'.repeat(124))).toBe(`${'x'.repeat(120)}…`);
    expect(toCloseReason('ü'.repeat(62))).toBe(`${'ü'.repeat(60)}…`);
    expect(Buffer.byteLength(toCloseReason('🚜 '.repeat(1_000_000)))).toBeLessThanOrEqual(123);
  });
});
