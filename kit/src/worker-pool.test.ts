import { afterEach, expect, test } from 'vitest';
import { Unreachable } from './problems.ts';
import { JobTooExpensive, WorkerPool } from './worker-pool.ts';

/**
 * Returns the id of its thread and the job, unless the job is to hang, to fail or to fill memory.
 */
const module = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (job) => {
      if (job === 'hang') for (;;);
      if (job === 'fill memory') for (const list = []; ; ) list.push(new Array(1e6).fill(1.5));
      if (job === 'fail') throw new Error('The job failed.');
      parentPort.postMessage([threadId, job]);
    });
    parentPort.postMessage('ready');
  `)}`,
);

let pool: WorkerPool<string, [thread: number, job: string]>;
afterEach(() => pool.stop());

function startPool(timeoutMs = 30_000): typeof pool {
  pool = new WorkerPool({ module, maxWorkers: 2, timeoutMs });
  return pool;
}

test('runs each job once, in no more threads than it may start', async () => {
  const jobs = ['a', 'b', 'c', 'd', 'e'];
  startPool();
  const outcomes = await Promise.all(jobs.map((job) => pool.run(job)));
  expect(outcomes.map(([, job]) => job)).toEqual(jobs);
  expect(new Set(outcomes.map(([thread]) => thread)).size).toBe(2);
});

test('abandons a job that takes too long, and runs the jobs that wait', async () => {
  startPool(500);
  const hanging = ['hang', 'hang'].map((job) => expect(pool.run(job)).rejects.toThrow(JobTooExpensive));
  const [, waiting] = await pool.run('a');
  expect(waiting).toBe('a');
  await Promise.all(hanging);
});

test('abandons a job that needs too much memory', async () => {
  await expect(startPool().run('fill memory')).rejects.toThrow(JobTooExpensive);
  expect((await pool.run('a'))[1]).toBe('a');
});

test('reports the error of a job that throws, and runs the next one', async () => {
  await expect(startPool().run('fail')).rejects.toThrow('The job failed.');
  expect((await pool.run('a'))[1]).toBe('a');
});

test('ends running, waiting and new jobs when it stops', async () => {
  startPool();
  const jobs = ['hang', 'hang', 'a'].map((job) => expect(pool.run(job)).rejects.toThrow(Unreachable));
  await pool.stop();
  await Promise.all(jobs);
  await expect(pool.run('a')).rejects.toThrow(Unreachable);
});
