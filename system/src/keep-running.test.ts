import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepRunning, type RunningPart } from './keep-running.ts';

/** A part that ends when the test says so. */
class ScriptedPart implements RunningPart {
  readonly ended: Promise<string>;
  stops = 0;
  #end: (reason: string) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(reason = 'signal SIGKILL'): void {
    this.#end(reason);
  }

  async stop(): Promise<void> {
    this.stops += 1;
  }
}

let printed: unknown[];
let failure: unknown;
let parts: ScriptedPart[];
let stopping: AbortController;
let stop: () => unknown;

beforeEach(() => {
  vi.useFakeTimers();
  printed = [];
  parts = [];
  failure = undefined;
  stopping = new AbortController();
  vi.spyOn(console, 'error').mockImplementation((line) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const start = async () => {
  const part = new ScriptedPart();
  parts.push(part);
  return part;
};

const keep = (startPart: () => Promise<ScriptedPart> = start) =>
  keepRunning('The clock', startPart, {
    stopping: stopping.signal,
    onShutdown: (_name, run) => {
      stop = run;
    },
    fail: async (error) => {
      failure = error;
    },
  });

async function endAfter(ms: number, reason?: string): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  parts.at(-1)?.end(reason);
  await vi.advanceTimersByTimeAsync(0);
}

test('starts an ended part again and prints each step', async () => {
  await keep();
  await endAfter(1_000, 'exit code 1');
  expect(printed).toEqual(['The clock stopped (exit code 1). Starting it again in 0.5 s.']);
  await vi.advanceTimersByTimeAsync(499);
  expect(parts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(parts).toHaveLength(2);
  expect(printed.at(-1)).toBe('The clock is running again.');
});

test('doubles the delay up to half a minute, and begins again after a minute of running', async () => {
  await keep();
  const delays: unknown[] = [];
  for (const runMs of [0, 20_000, 20_000, 20_000, 20_000, 20_000, 20_000, 20_000, 60_000]) {
    await endAfter(runMs);
    delays.push(/[\d.]+ s/.exec(String(printed.at(-1)))?.[0]);
    await vi.advanceTimersByTimeAsync(30_000);
  }
  expect(delays).toEqual(['0.5 s', '1 s', '2 s', '4 s', '8 s', '16 s', '30 s', '30 s', '0.5 s']);
  expect(failure).toBeUndefined();
});

test('ends the system when a part ends five times within a minute', async () => {
  await keep();
  for (const delayMs of [0, 500, 1_000, 2_000]) await endAfter(delayMs);
  expect(failure).toBeUndefined();
  await endAfter(4_000);
  expect(failure).toBe('The clock stopped (signal SIGKILL) for the fifth time within a minute.');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(parts).toHaveLength(5);
});

test('counts a failed restart like an end, and says what failed', async () => {
  let isBroken = false;
  const { waitUntilRunning } = await keep(() => (isBroken ? Promise.reject(new Error('no spring')) : start()));
  isBroken = true;
  await endAfter(0);
  const isRunning = vi.fn();
  void waitUntilRunning().then(isRunning);
  await vi.advanceTimersByTimeAsync(500);
  expect(printed.at(-1)).toBe('The clock could not be started again (no spring). Starting it again in 1 s.');
  expect(isRunning).not.toHaveBeenCalled();
  isBroken = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(printed.at(-1)).toBe('The clock is running again.');
  expect(isRunning).toHaveBeenCalledOnce();
});

test('fails when the part cannot be started the first time', async () => {
  await expect(keep(() => Promise.reject(new Error('no spring')))).rejects.toThrow('no spring');
  await stop();
  expect(printed).toEqual([]);
});

test('starts nothing again once the system stops, and stops a part that is still starting', async () => {
  let finishStart: () => void = () => undefined;
  const { waitUntilRunning } = await keep(async () => {
    if (parts.length > 0) await new Promise<void>((resolve) => (finishStart = resolve));
    return start();
  });
  await endAfter(0);
  await vi.advanceTimersByTimeAsync(500);
  stopping.abort();
  await waitUntilRunning();
  const stopped = stop();
  finishStart();
  await stopped;
  expect(parts.map(({ stops }) => stops)).toEqual([0, 1]);
  parts.at(-1)?.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(parts).toHaveLength(2);
});

test('does not start a part again when the system stops during the delay', async () => {
  await keep();
  await endAfter(0);
  stopping.abort();
  await stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(parts).toHaveLength(1);
});
