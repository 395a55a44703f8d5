/** Expands calendars outside the main thread, which a feed of several megabytes would block. */
import { parentPort } from 'node:worker_threads';
import type { Span } from '../roster-source.ts';
import { expandCalendar } from './expand-calendar.ts';
import type { PackedShifts } from './packed-shifts.ts';
import type { NamingRules } from './people-of-event.ts';

export interface CalendarJob {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly timeZone: string;
  readonly naming?: NamingRules;
}

export type CalendarOutcome = { readonly shifts: PackedShifts } | { readonly problem: string };

parentPort?.on('message', (job: CalendarJob) => {
  const outcome = runJob(job);
  const handedOver = 'shifts' in outcome ? outcome.shifts.spans.map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(outcome, handedOver);
});

// Reports that the thread is ready.
parentPort?.postMessage('ready');

function runJob({ text, spans, timeZone, naming }: CalendarJob): CalendarOutcome {
  try {
    return { shifts: expandCalendar(text, spans, timeZone, naming) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
