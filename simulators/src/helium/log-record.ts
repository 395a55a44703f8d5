import { randomUUID } from 'node:crypto';
import type { HeliumLogRecord } from '@portal/platforms/helium/wire';

/** A line to be logged; without a time, the current time. */
export interface LogLine {
  readonly key: string;
  readonly value: string;
  readonly millis?: number;
}

/**
 * Adds the time stored in the row; records of the same millisecond keep their order by
 * microseconds.
 */
export interface StampedRecord extends HeliumLogRecord {
  readonly micros: number;
}

type Stamp = (line: LogLine) => StampedRecord;

export function createStamp(appId: string): Stamp {
  let lastMillis = 0;
  let ofThisMillisecond = 0;
  return ({ key, value, millis = Date.now() }) => {
    ofThisMillisecond = millis === lastMillis ? Math.min(ofThisMillisecond + 1, 999) : 0;
    lastMillis = millis;
    return { id: randomUUID(), key, value, millis, appId, appUserId: null, micros: millis * 1000 + ofThisMillisecond };
  };
}
