/** Halts an integration with a question, as the engine does after a restore or a wrong list. */
import { randomUUID } from 'node:crypto';
import { withBase } from '@portal/contract/sync/base';
import {
  type ClearingsQuestion,
  type DeletionsQuestion,
  getRecovery,
  type RecoveryAnswer,
  type RecoveryQuestion,
  type RestoredQuestion,
} from '@portal/contract/sync/recovery';
import { withClient } from '@portal/kit/postgres/pool';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Portal } from './portal.ts';
import { integrationNamed } from './sync-screen.ts';

const base = '/sync/api/';
const pollOptions = { interval: 100 };

/** Helium went back by a night: two objects differ, one of them also in deleted records. */
export function createRestoredQuestion(): RestoredQuestion {
  const both = { toHelium: true, toJourney: true };
  return {
    kind: 'restored',
    id: randomUUID(),
    askedAt: new Date(Date.now() - 4 * 60_000).toISOString(),
    reason:
      'Helium was restored from a backup: its change log continues at entry 4, but entry 1,041 was read before. Another record has that entry now.',
    side: 'helium',
    asOf: new Date(Date.now() - 9 * 3_600_000).toISOString(),
    objects: [
      { table: 'visit', ...both, onlyInHelium: 3, onlyInJourney: 1_204, differ: 37, comingBack: 3 },
      { table: 'patient', ...both, onlyInHelium: 0, onlyInJourney: 12, differ: 3, comingBack: 0 },
      { table: 'clinic', ...both, onlyInHelium: 0, onlyInJourney: 0, differ: 0, comingBack: 0 },
      { table: 'district_health_office', ...both, onlyInHelium: 0, onlyInJourney: 0, differ: 0, comingBack: 0 },
      {
        table: 'stock_level',
        toHelium: false,
        toJourney: true,
        onlyInHelium: 0,
        onlyInJourney: 5,
        differ: 1,
        comingBack: 0,
      },
    ],
  };
}

/** Journey's list of an object was empty; of 140 records, 100 are in the question. */
export function createDeletionsQuestion(): DeletionsQuestion {
  return {
    kind: 'deletions',
    id: randomUUID(),
    askedAt: new Date(Date.now() - 2 * 60_000).toISOString(),
    reason: 'A comparison found that Journey no longer lists them, and no log reports that they were deleted.',
    side: 'helium',
    table: 'patient',
    known: 140,
    absent: 140,
    isSyncedBack: true,
    clearedReferences: [
      { table: 'visit', column: 'patient_fk', records: 412 },
      { table: 'referral', column: 'patient_fk', records: 1 },
    ],
    sample: Array.from({ length: 100 }, (_, at) => ({
      id: `5f0c8c1e-0000-4000-8000-${String(at).padStart(12, '0')}`,
      values: { name: `Patient ${at + 1}`, national_id: `NRC-${1000 + at}`, born: '1988-04-02', notes: null },
    })),
  };
}

/** Journey no longer has any code of an object, and few ranks. */
export function createClearingsQuestion(): ClearingsQuestion {
  return {
    kind: 'clearings',
    id: randomUUID(),
    askedAt: new Date(Date.now() - 2 * 60_000).toISOString(),
    reason:
      'Journey no longer has 140 of the 140 values of patient.code and 3 of the 97 values of patient.rank that both sides had, and no log names the change. Nothing was cleared in Helium. Decide whether to clear them there or to restore them in Journey.',
    side: 'helium',
    table: 'patient',
    columns: [
      { column: 'code', known: 140, absent: 140 },
      { column: 'rank', known: 97, absent: 3 },
    ],
    records: 140,
    isSyncedBack: true,
    sample: Array.from({ length: 100 }, (_, at) => ({
      id: `5f0c8c1e-0000-4000-8000-${String(at).padStart(12, '0')}`,
      values: { code: 1000 + at, ...(at < 3 && { rank: at + 1 }) },
    })),
  };
}

export interface AskedQuestion {
  readonly appId: string;
  readonly question: RecoveryQuestion;
  /** Returns the answer that is stored for the next run; null while there is none. */
  readAnswer(): Promise<RecoveryAnswer | null>;
}

/**
 * Halts the integration with this question, before its run calls Journey, which is not there.
 */
export async function halt(
  page: Page,
  portal: Portal,
  { appName, dataSource }: { readonly appName: 'Clinic Visits'; readonly dataSource: string },
  question: RecoveryQuestion,
): Promise<AskedQuestion> {
  const appId = portal.app(appName).id;
  // An answer is refused while the integration cannot run.
  portal.pretendSyncConnections();
  // The granting login owns the state of the sync.
  const url = portal.helium.dataSources.find(({ heliumDataSourceName: name }) => name === dataSource)?.grantUrl;
  if (url === undefined) throw new Error(`There is no data source ${dataSource}.`);
  const query = (sql: string, values: unknown[]) =>
    withClient({ connectionString: url }, (client) => client.query(sql, values));
  const owner = `%/${appId}/%`;
  const readFence = async () => {
    const { rows } = await query("select to_regclass('__portal_sync__.run') is not null as exists", []);
    if (!rows[0].exists) return null;
    const { rows: runs } = await query(
      'select nullif(fence, 0)::text as fence from __portal_sync__.run where state_key like $1',
      [owner],
    );
    return runs[0]?.fence ?? null;
  };
  // A run that finds no question lets the portal forget the one of an earlier test.
  await portal.setSyncStatus('Production', appId, 'disable');
  const fence = await readFence();
  if (fence !== null) await query('update __portal_sync__.run set question = null where state_key like $1', [owner]);
  await portal.setSyncStatus('Production', appId, 'enable');
  await expect.poll(readFence, pollOptions).not.toBe(fence);
  await portal.setSyncStatus('Production', appId, 'disable');
  await expect
    .poll(() => integrationNamed(page, appName, base), pollOptions)
    .toMatchObject({ status: 'Disabled', needsDecision: false });
  await query('update __portal_sync__.run set question = $2, answer = null where state_key like $1', [
    owner,
    JSON.stringify(question),
  ]);
  await portal.setSyncStatus('Production', appId, 'enable');
  await expect
    .poll(() => integrationNamed(page, appName, base), pollOptions)
    .toMatchObject({ status: 'Halted', needsDecision: true, haltReason: question.reason });
  return {
    appId,
    question,
    async readAnswer() {
      const { rows } = await query('select answer from __portal_sync__.run where state_key like $1', [owner]);
      return rows[0]?.answer ?? null;
    },
  };
}

/** Returns the open question as the portal reports it to this user. */
export async function readQuestion(page: Page, appId: string): Promise<RecoveryQuestion | null> {
  const response = await page.request.get(withBase(base, getRecovery).path.replace(':appId', appId));
  return getRecovery.response.parse(await response.json()).question;
}
