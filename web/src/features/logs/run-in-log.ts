import { quoteIdentifier } from '../../format/quote-identifier.ts';
import type { Address } from '../../state/address.ts';

/** When a run took place whose lines someone looks for (epoch milliseconds). */
export interface RunTimes {
  readonly fromMs: number;
  /** The same as `fromMs` if the run has not ended. */
  readonly toMs: number;
}

const minuteMs = 60_000;

/** Reads the times of a run from the address; null if it has none. */
export function readRunTimes(address: Address): RunTimes | null {
  const fromMs = Date.parse(address['run-from'] ?? '');
  const toMs = Date.parse(address['run-to'] ?? '');
  if (Number.isNaN(fromMs)) return null;
  return { fromMs, toMs: toMs >= fromMs ? toMs : fromMs };
}

export function withoutRunTimes({ 'run-from': _from, 'run-to': _to, ...others }: Address): Address {
  return others;
}

/** Returns the minutes of a run as a range; its last line may follow its end. */
export function getMinutes({ fromMs, toMs }: RunTimes): RunTimes {
  return {
    fromMs: Math.floor(fromMs / minuteMs) * minuteMs,
    toMs: (Math.floor(toMs / minuteMs) + 1) * minuteMs,
  };
}

/** Returns SQL for what an app logged in the minutes of a run. The column `time` is in UTC. */
export function getRunSql(schemaName: string, run: RunTimes): string {
  const { fromMs, toMs } = getMinutes(run);
  const format = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return [
    'SELECT time, key, value',
    `FROM ${quoteIdentifier(schemaName)}.__logging_log__`,
    `WHERE time >= '${format(fromMs)}' AND time < '${format(toMs)}'`,
    'ORDER BY time, _id_;',
  ].join('\n');
}
