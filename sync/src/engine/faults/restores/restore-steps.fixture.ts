/** Steps of the tests that restore one side of a world from a backup. */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { predictEffect, type RecoveryAnswer, type RestoredQuestion, type Side } from '@portal/contract/sync/recovery';
import { expect } from 'vitest';
import { areFieldsEqual, type Fields } from '../../../record/fields.ts';
import { readQuestion, saveAnswer } from '../../../sync-state/questions.store.ts';
import { backUpHelium, restoreHelium } from '../../testing/backups.fixture.ts';
import {
  deleteRegion,
  expectNoEcho,
  insertRegion,
  renameRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import type { SyncWorld } from '../../testing/sync-world.fixture.ts';
import { intentsUnderWay } from '../../testing/world-rows.fixture.ts';

export type Setup = 'both ways' | 'Helium to Journey only' | 'Journey to Helium only';
export const setups: readonly Setup[] = ['both ways', 'Helium to Journey only', 'Journey to Helium only'];

export const inSetup =
  (setup: Setup) =>
  (config: SyncConfig): SyncConfig => ({
    ...config,
    enableHeliumToJourney: setup !== 'Journey to Helium only',
    enableJourneyToHelium: setup !== 'Helium to Journey only',
  });

export interface RestoredIds {
  /** Had an earlier name at the time of the backup. */
  readonly renamed: string;
  /** Created since in Helium, and on a device. */
  readonly madeInHelium: string;
  readonly madeOnDevice: string;
  /** Deleted since, so that only the restored side has it. */
  readonly deleted: string;
  readonly unchanged: string;
}

/**
 * Syncs both sides, backs one up, syncs further changes of both sides, and restores the backup
 * while no engine runs.
 */
export async function restoreSide(world: SyncWorld, side: Side, setup: Setup = 'both ways'): Promise<RestoredIds> {
  const run = world.start();
  const [renamed, deleted, unchanged, friend, orphan] = await Promise.all([
    insertRegion(world, 'first'),
    insertRegion(world, 'deleted since'),
    insertRegion(world, 'unchanged'),
    randomUUID(),
    randomUUID(),
  ]);
  await insertFarmer(world, friend, renamed);
  await insertFarmer(world, orphan, deleted);
  await world.waitUntilEqual();
  const restore = await backUp(world, side);
  await renameRegion(world, renamed, 'second');
  const madeInHelium = await insertRegion(world, 'made in Helium');
  const madeOnDevice = randomUUID();
  await world.edit(
    { method: 'put', object: { type: 'region', id: madeOnDevice, name: 'made on a device' } },
    { method: 'put', object: { type: 'farmer', id: randomUUID(), name: 'new', region_id: madeOnDevice } },
  );
  await deleteRegion(world, deleted);
  await world.waitUntilEqual();
  await run.stop();
  // The directions change before the restore, because a change of them reads everything.
  const last = world.start(inSetup(setup));
  await waitUntilRecovered(world);
  await last.stop();
  await restore();
  return { renamed, madeInHelium, madeOnDevice, deleted, unchanged };
}

/** Returns a function that restores the side. */
async function backUp(world: SyncWorld, side: Side): Promise<() => Promise<void>> {
  if (side === 'journey') {
    const copy = await world.deployment.takeCopy();
    return () => world.deployment.restoreCopy(copy);
  }
  const copy = await backUpHelium(world);
  return () => restoreHelium(world, copy);
}

const insertFarmer = (world: SyncWorld, id: string, regionId: string) =>
  world.sql('insert into $s.farmer (_id_, _tstamp_, name, region_fk) values ($1, now(), $2, $3)', [id, id, regionId]);

/** Runs until the restore is found. Checks that nothing was changed, and returns the question. */
export async function expectQuestion(world: SyncWorld, setup: Setup): Promise<RestoredQuestion> {
  const before = await readBothSides(world);
  const ended = await world.start(inSetup(setup)).ended;
  expect(await readBothSides(world)).toEqual(before);
  const question = await readOpenQuestion(world);
  expect(ended).toMatchObject({ outcome: 'halted', reason: question.reason });
  // A further run halts at once.
  expect(await world.start(inSetup(setup)).ended).toMatchObject({ outcome: 'halted', reason: question.reason });
  return question;
}

export async function readOpenQuestion(world: SyncWorld): Promise<RestoredQuestion> {
  const asked = await readQuestion(world.helium.pool, await readStateId(world));
  if (asked?.question.kind !== 'restored') throw new Error('No restore was found.');
  return asked.question;
}

async function readStateId(world: SyncWorld): Promise<number> {
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  return rows[0].state_id;
}

export async function answerQuestion(
  world: SyncWorld,
  question: RestoredQuestion,
  answer: RecoveryAnswer,
): Promise<void> {
  const stored = { questionId: question.id, answer, fence: world.nextFence() };
  expect(await saveAnswer(world.helium.pool, await readStateId(world), stored)).toBe(true);
}

/** Whether the answer has taken effect. */
export async function isRecovered(world: SyncWorld): Promise<boolean> {
  const { rows } = await world.sql(
    `select question is null and snapshot_to_helium is null and snapshot_to_journey is null
       and not exists (select from ${intentsUnderWay})
       and not exists (select from __portal_sync__.held where state = 'parked') as "isDone" from __portal_sync__.run`,
  );
  return rows[0].isDone;
}

/** Waits until the answer has taken effect, and checks that nothing more is written. */
export async function waitUntilRecovered(world: SyncWorld): Promise<void> {
  await waitUntil(() => isRecovered(world));
  await expectNoEcho(world);
}

export interface BothSides {
  readonly helium: Readonly<Record<string, Fields>>;
  readonly journey: Readonly<Record<string, Fields>>;
}

export async function readBothSides(world: SyncWorld): Promise<BothSides> {
  return { helium: await world.heliumRows(), journey: await world.journeyRows() };
}

/** Checks that exactly what was predicted has happened; for keep-both, at most. */
export function expectPredicted(
  before: BothSides,
  after: BothSides,
  { question, answer }: { readonly question: RestoredQuestion; readonly answer: RecoveryAnswer },
): void {
  const predicted = predictEffect(question, answer);
  for (const side of ['helium', 'journey'] as const) {
    const { created, changed, deleted } = compare(before[side], after[side]);
    const maxChanged = answer === 'keep-both' ? Math.min(changed, predicted[side].changed) : changed;
    expect({ side, created, changed: maxChanged, deleted }).toEqual({
      side,
      ...predicted[side],
      ...(answer === 'keep-both' && { changed }),
    });
  }
}

function compare(before: Readonly<Record<string, Fields>>, after: Readonly<Record<string, Fields>>) {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const count = (is: (id: string) => boolean) => ids.filter(is).length;
  return {
    created: count((id) => !(id in before)),
    deleted: count((id) => !(id in after)),
    changed: count((id) => id in before && id in after && !areFieldsEqual(before[id] ?? null, after[id] ?? null)),
  };
}
