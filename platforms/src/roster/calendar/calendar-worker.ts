/** Expands calendars outside the main thread, which a feed of several megabytes would block. */
import { parentPort } from 'node:worker_threads';
import type { Span } from '../roster-source.ts';
import { decodeCalendar } from './decode-calendar.ts';
import { type ExpandedCalendar, expandCalendar } from './expand-calendar.ts';
import type { NamingRules } from './people-of-event.ts';
import { Unreadable } from './unreadable.ts';

export interface CalendarJob {
  readonly bytes: Uint8Array;
  /** The Content-Type of the feed, which may name its charset. */
  readonly contentType: string | null;
  readonly spans: readonly Span[];
  readonly timeZone: string;
  readonly naming?: NamingRules;
}

/** A problem completes the sentence "The calendar cannot be read: …". */
export type CalendarOutcome = ExpandedCalendar | { readonly problem: string } | { readonly bug: Error };

parentPort?.on('message', (job: CalendarJob) => {
  const outcome = runJob(job);
  const handedOver = 'shifts' in outcome ? outcome.shifts.spans.map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(outcome, handedOver);
});

// Reports that the thread is ready.
parentPort?.postMessage('ready');

function runJob({ bytes, contentType, spans, timeZone, naming }: CalendarJob): CalendarOutcome {
  try {
    return expandCalendar(decodeCalendar(bytes, contentType), spans, timeZone, naming);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    return { bug: error instanceof Error ? error : new Error(String(error)) };
  }
}
