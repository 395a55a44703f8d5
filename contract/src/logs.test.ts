import { describe, expect, it } from 'vitest';
import { describeSocketClose, getLogLevel } from './logs.ts';

describe('describeSocketClose', () => {
  it('reports the close code, and explains an abnormal closure', () => {
    expect(describeSocketClose(1000)).toBe('Socket closed with code 1000.');
    expect(describeSocketClose(1006)).toMatch(/^Socket closed with code 1006\. .+/);
  });
});

describe('getLogLevel', () => {
  it.each([
    ['TRACE', 'trace'],
    ['FINEST', 'trace'],
    ['debug', 'debug'],
    ['FINE', 'debug'],
    ['INFO', 'info'],
    ['warning', 'warning'],
    ['SEVERE', 'severe'],
    ['Runtime Error', 'error'],
    ['java.lang.NullPointerException', 'error'],
  ] as const)('maps the platform key %s to the level %s', (key, level) => {
    expect(getLogLevel(key)).toBe(level);
  });
});
