import { auditDrift, getDifferences, getDrift } from '@portal/contract/sync/drift';
import { answerRecovery as answerEndpoint, getRecovery } from '@portal/contract/sync/recovery';
import { answerRecovery } from './answer-recovery.ts';
import { toIntegrationResponse } from './integration-response.ts';
import { pageLimit } from './page-limit.ts';
import type { SyncRouter } from './sync-router.ts';

/** Differences between both sides, and the question after a restore. */
export function recoveryRoutes({ parts, route, routeTo, logAndWake }: SyncRouter): void {
  const { operations } = parts;

  routeTo(getDifferences, (integration, { input: { limit = pageLimit } }) =>
    operations.readDifferences(integration, { limit }),
  );

  routeTo(getDrift, (integration) => operations.readDrift(integration));

  routeTo(auditDrift, async (integration, { caller }) => {
    await operations.requestComparison(integration);
    await logAndWake(integration, `${caller.user} requested a comparison of both sides.`);
    return {
      message:
        integration.status === 'Enabled'
          ? 'Both sides are being compared; the log shows what is found.'
          : 'Both sides will be compared when the integration is enabled.',
    };
  });

  routeTo(getRecovery, async (integration) => ({ question: await operations.readQuestion(integration) }));

  route(answerEndpoint, async ({ caller, input }) =>
    toIntegrationResponse(await answerRecovery(parts, caller, input), Date.now()),
  );
}
