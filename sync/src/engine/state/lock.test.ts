import { expect, test } from 'vitest';
import { StateLock, type StatePart } from './lock.ts';

const createPart = (direction: 'helium-to-journey' | 'journey-to-helium', ...ids: string[]): StatePart => ({
  direction,
  keys: ids.map((id) => ({ table: 'region', id })),
});
const toJourney = (...ids: string[]) => createPart('helium-to-journey', ...ids);
const toHelium = (...ids: string[]) => createPart('journey-to-helium', ...ids);

/** Starts a transaction for each part. `running` returns which of them run, `end` ends one. */
function runAll(...parts: readonly StatePart[]) {
  const lock = new StateLock();
  const running = new Set<number>();
  const ends: ((error?: Error) => void)[] = [];
  const results = parts.map((part, index) =>
    lock.run(part, async () => {
      running.add(index);
      await new Promise<void>((resolve, reject) => {
        ends[index] = (error) => (error ? reject(error) : resolve());
      }).finally(() => running.delete(index));
    }),
  );
  for (const result of results) result.catch(() => undefined);
  return {
    lock,
    results,
    running: async () => {
      await new Promise(setImmediate);
      return [...running].sort();
    },
    end: (index: number, error?: Error) => ends[index]?.(error),
  };
}

test('runs transactions of both directions at once unless they have a record in common', async () => {
  const { running, end } = runAll(toJourney('1', '2'), toHelium('3'), toHelium('2', '4'));
  expect(await running()).toEqual([0, 1]);
  end(1);
  expect(await running()).toEqual([0]);
  end(0);
  expect(await running()).toEqual([2]);
});

test('runs transactions of one direction one after another', async () => {
  const { running, end } = runAll(toJourney('1'), toJourney('2'));
  expect(await running()).toEqual([0]);
  end(0);
  expect(await running()).toEqual([1]);
});

test('runs a transaction that concerns everything alone, in its turn', async () => {
  const { running, end } = runAll(toJourney('1'), toHelium('2'), 'everything', toJourney('3'));
  expect(await running()).toEqual([0, 1]);
  end(0);
  end(1);
  expect(await running()).toEqual([2]);
  end(2);
  expect(await running()).toEqual([3]);
});

test('continues after a failure, but not after an outage: its commit may still take effect', async () => {
  const { running, end, lock, results } = runAll(toHelium('1'), toHelium('2'), toHelium('3'));
  await running();
  end(0, new Error('refused'));
  await expect(results[0]).rejects.toThrow('refused');
  expect(await running()).toEqual([1]);
  end(1, new Error('Connection terminated unexpectedly'));
  await expect(results[2]).rejects.toThrow('Connection terminated');
  await expect(lock.run('everything', async () => 1)).rejects.toThrow('Connection terminated');
});
