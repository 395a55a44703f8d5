import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';

/** A task of the page's main thread. */
export interface PageTask {
  readonly ms: number;
  /** Of it, the processor time: the rest waited for a core, or for another process. */
  readonly cpuMs: number;
}

/** The parts used of Chromium's trace events. Times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  /** The phase: X is a complete event, with a duration. */
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const categories = ['toplevel', 'blink.user_timing'];

/** Starts recording, and returns a function that ends it and returns the tasks in between. */
export async function traceTasks(browser: Browser, page: Page): Promise<() => Promise<PageTask[]>> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) if (isTraceEvent(event)) events.push(event);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories },
  });
  // The mark shows which of all threads is the page's, and when the trace has begun.
  const mark = randomUUID();
  await page.evaluate((name) => void performance.mark(name), mark);
  return async () => {
    const completed = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
    await session.send('Tracing.end');
    await completed;
    await session.detach();
    const start = events.find(({ name }) => name === mark);
    if (!start) throw new Error('The trace does not have the mark of the page.');
    return events
      .filter(({ name, ph, pid, tid, ts }) => {
        const isTask = ph === 'X' && name.endsWith('RunTask');
        return isTask && pid === start.pid && tid === start.tid && ts > start.ts;
      })
      .map(({ dur = 0, tdur = 0 }) => ({ ms: dur / 1000, cpuMs: tdur / 1000 }));
  };
}

function isTraceEvent(event: object): event is TraceEvent {
  return 'name' in event && 'ph' in event && 'pid' in event && 'tid' in event && 'ts' in event;
}
