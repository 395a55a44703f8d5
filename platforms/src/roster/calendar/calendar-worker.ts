/** Works calendars out beside the server's own thread: a feed of megabytes would hold up everybody there. */
import { parentPort } from 'node:worker_threads';
import type { Shift, Span } from '../roster-source.ts';
import { expandCalendar } from './expand-calendar.ts';

export interface CalendarJob {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly timeZone: string;
}

export type CalendarOutcome = { readonly shifts: readonly (readonly Shift[])[] } | { readonly problem: string };

parentPort?.on('message', (job: CalendarJob) => {
  parentPort?.postMessage(outcomeOf(job));
});

function outcomeOf({ text, spans, timeZone }: CalendarJob): CalendarOutcome {
  try {
    return { shifts: expandCalendar(text, spans, timeZone) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
