import type { SyncDirection } from '@portal/contract/sync/records';
import type { Figures } from '../integration/figures.ts';

/** As many names as two lines have room for. */
const maxPausedNames = 3;

/** A record that waits longer is named. Most are written within a second or two. */
const namedAfterMs = 10_000;

/**
 * Returns what of a direction does not sync although its log is read: the record that has waited
 * for long, and the paused objects; null when nothing is held up.
 */
export function describeObstacles(figures: Figures, direction: SyncDirection, nowMs: number): string | null {
  const obstacles = [describeWaiting(figures, direction, nowMs), describePaused(figures)];
  return obstacles.filter((text) => text !== null).join(' ') || null;
}

function describeWaiting({ oldestWaiting, waiting }: Figures, direction: SyncDirection, nowMs: number): string | null {
  if (oldestWaiting?.direction !== direction) return null;
  const { object, id, reason, sinceMs } = oldestWaiting;
  const waitedMs = nowMs - sinceMs;
  if (waitedMs <= namedAfterMs) return null;
  return `Waiting: ${object}/${id} for ${Math.round(waitedMs / 1000)} s${countOthers(waiting - 1, 'record', ', and')}: ${reason}`;
}

function describePaused({ pausedObjects: { count, first } }: Figures): string | null {
  if (count === 0) return null;
  const names = first.slice(0, maxPausedNames).map(({ object }) => object);
  return `Paused: ${names.join(', ')}${countOthers(count - names.length, 'object', ' and')}`;
}

function countOthers(count: number, noun: string, link: string): string {
  if (count <= 0) return '';
  return `${link} ${count} more ${count === 1 ? noun : `${noun}s`}`;
}
