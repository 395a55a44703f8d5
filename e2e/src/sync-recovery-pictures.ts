import { withBase } from '@portal/contract/sync/base';
import { listIntegrations } from '@portal/contract/sync/integration';
import { getRecovery, type RecoveryQuestion } from '@portal/contract/sync/recovery';
import type { Picture, Stage } from './picture-stage.ts';
import { createClearingsQuestion, createDeletionsQuestion, createRestoredQuestion } from './recovery-questions.ts';
import { seen } from './user-actions.ts';

/** Shows the app's integration as halted with this question. Nothing is changed. */
async function ask({ page, afterwards }: Stage, appId: string, question: RecoveryQuestion): Promise<void> {
  const list = `**${withBase('/sync/api/', listIntegrations).path}`;
  const recovery = `**${withBase('/sync/api/', getRecovery).path.replace(':appId', appId)}`;
  const halted = {
    status: 'Halted',
    health: 'Stale',
    heliumSyncStatus: 'Halted',
    journeySyncStatus: 'Halted',
    haltReason: question.reason,
    haltedSince: question.askedAt,
    needsDecision: true,
  };
  await page.route(list, async (route) => {
    const all = listIntegrations.response.parse(await (await route.fetch()).json());
    await route.fulfill({ json: all.map((one) => (one.id === appId ? { ...one, ...halted } : one)) });
  });
  await page.route(recovery, (route) => route.fulfill({ json: { question } }));
  // A response may be under way.
  afterwards(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
}

function createPicture(name: string, create: () => RecoveryQuestion): Picture {
  return {
    name,
    phone: true,
    async show(stage) {
      const { id } = stage.app('Stock Visibility');
      await ask(stage, id, create());
      await stage.open(`/sync?records=${id}`);
      await seen(stage.page.getByRole('dialog').getByRole('radio').first());
    },
  };
}

/** The questions that halt an integration. */
export const syncRecoveryPictures: readonly Picture[] = [
  createPicture('sync-restored', createRestoredQuestion),
  createPicture('sync-deletions', createDeletionsQuestion),
  createPicture('sync-clearings', createClearingsQuestion),
];
