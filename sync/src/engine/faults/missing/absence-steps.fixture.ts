/** Steps of the tests in which one side no longer has records, without a log that says so. */
import type { DeletionsQuestion } from '@portal/contract/sync/recovery';
import { expect } from 'vitest';
import { createOperations } from '../../../operations/operations.ts';
import { world } from '../../testing/each-world.fixture.ts';
import { waitForLog } from '../../testing/fault-steps.fixture.ts';
import { quickRateLimiter } from '../../testing/sync-integration.fixture.ts';

export async function insertRegions(count: number): Promise<void> {
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name, code)
     select gen_random_uuid(), now() - interval '1 hour', 'region ' || no, no from generate_series(1, $1::int) no`,
    [count],
  );
}

/** As an administrator's repair: neither the change log nor foreign keys notice. */
export async function deleteUnlogged(condition: string): Promise<void> {
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; delete from ${condition}`);
}

export async function compare(run: { wake(): void }): Promise<void> {
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
}

export const operations = () => createOperations(world.databases, quickRateLimiter());

export async function readQuestion(): Promise<DeletionsQuestion> {
  const question = await operations().readQuestion(world.integration);
  if (question?.kind !== 'deletions') throw new Error('No question about deletions is open.');
  return question;
}

export async function answer(choice: 'keep' | 'delete'): Promise<void> {
  const { id: questionId } = await readQuestion();
  const accepted = await operations().answerQuestion(world.integration, {
    questionId,
    answer: choice,
    fence: world.nextFence(),
  });
  expect(accepted).toBe(true);
}

export async function compareAll(run: { wake(): void }): Promise<void> {
  await compare(run);
  // The last table.
  await waitForLog(world, /Compared visit/);
}

export const inHelium = async () => (await world.sql('select count(*)::int from $s.region')).rows[0].count;
export const inJourney = async () =>
  (await world.journeySql(`select count(*)::int from object where type = 'region'`)).rows[0].count;
