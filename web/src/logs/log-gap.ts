import type { LogGap } from '@portal/contract/logs';
import { countOf } from '../lib/format.ts';

const gapReasons: Readonly<Record<LogGap['reason'], string>> = {
  platform: 'the connection to the platform was lost',
  'slow-viewer': 'this page could not keep up',
  ring: 'they were too old for the portal to still have them',
  restart: 'the portal was restarted',
};

/** A gap of which only the size is known, or not even that. */
export function describeMissing(lines: number | null): string {
  return `gap: ${howManyOf(lines)}.`;
}

export function describeGap(gap: LogGap): string {
  const seconds =
    gap.fromMillis === null || gap.toMillis === null ? null : Math.ceil((gap.toMillis - gap.fromMillis) / 1000);
  const howLong = seconds === null || seconds < 1 ? '' : `, over ${countOf(seconds, 'second')}`;
  return `gap: ${howManyOf(gap.lines)}${howLong} (${gapReasons[gap.reason]}).`;
}

function howManyOf(lines: number | null): string {
  return lines === null ? 'lines are missing, nobody knows how many' : countOf(lines, 'line');
}
