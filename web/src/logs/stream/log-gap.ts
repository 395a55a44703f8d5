import type { LogGap } from '@portal/contract/logs';
import { formatPlural } from '../../format/numbers.ts';

const reasonTexts: Readonly<Record<LogGap['reason'], string>> = {
  platform: 'the connection to the platform was lost',
  'slow-viewer': 'this page could not keep up',
  ring: 'the portal no longer has them',
  restart: 'the portal was restarted',
};

/** Describes a gap of which at most the size is known. */
export function describeMissing(lines: number | null): string {
  return `gap: ${formatMissingLines(lines)}.`;
}

export function describeGap(gap: LogGap): string {
  const seconds =
    gap.fromMillis === null || gap.toMillis === null ? null : Math.ceil((gap.toMillis - gap.fromMillis) / 1000);
  const durationText = seconds === null || seconds < 1 ? '' : `, over ${formatPlural(seconds, 'second')}`;
  return `gap: ${formatMissingLines(gap.lines)}${durationText} (${reasonTexts[gap.reason]}).`;
}

function formatMissingLines(lines: number | null): string {
  return lines === null ? 'an unknown number of lines is missing' : formatPlural(lines, 'line');
}
