import type { Attention } from '@portal/contract/attention';
import { listSyncCauses, type SyncCause } from '@portal/contract/sync/causes';
import { listIntegrations, type SyncIntegration, syncHealthRule } from '@portal/contract/sync/integration';
import { Unreachable } from '@portal/kit/problems';
import { Silent } from '@portal/platforms/reachability';
import { ExpiringCache } from '../../expiring-cache.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';

type Reported = Attention & { readonly appId: string };

/**
 * Reports integrations that are halted, enabled but delayed, or have conflicts to review. All home
 * pages of an environment share what was read within `sharedMs`: the list of all integrations is
 * long.
 */
export function unhealthySyncs(service: SyncService, sharedMs: number): AttentionSource {
  const shared = new ExpiringCache<readonly Reported[]>({ ttlMs: sharedMs });
  return {
    action: 'sync.view',
    subject: 'the sync integrations',
    async check(caller, signal): Promise<AttentionResult> {
      const environment = caller.environment.name;
      const read = async (signal: AbortSignal) => {
        const integrations = await service.call(caller, listIntegrations, { payload: { environment }, signal });
        const nowMs = Date.now();
        return integrations
          .filter((integration) => integration.environment === environment)
          .flatMap((integration) =>
            toAttention(integration, nowMs).map((item) => ({ ...item, appId: integration.id })),
          );
      };
      try {
        const [reported, { byId }] = await Promise.all([
          shared.get(environment, read, { signal }),
          caller.apps({ forReading: true, signal }),
        ]);
        return { items: reported.filter(({ appId }) => byId.has(appId)), problems: [] };
      } catch (error) {
        // A silent platform concerns more than the integrations.
        if (!(error instanceof Unreachable) || error instanceof Silent) throw error;
        return { items: [], problems: [`The sync integrations could not be checked: ${error.message}`] };
      }
    },
  };
}

function toAttention(integration: SyncIntegration, nowMs: number): Attention[] {
  const { id, appName, status, health, haltReason, haltedSince, needsDecision, lastPinged, changedAt } = integration;
  const about = { title: appName, route: `/sync/${encodeURIComponent(id)}` };
  if (status === 'Halted') {
    const reason = haltReason ?? 'Halted without a reason.';
    if (!needsDecision) return [{ ...about, kind: 'halted-sync', detail: reason, at: haltedSince }];
    const route = `/sync?records=${encodeURIComponent(id)}`;
    return [{ ...about, route, kind: 'halted-sync', detail: `Needs a decision: ${reason}`, at: haltedSince }];
  }
  const causes = listSyncCauses(integration, nowMs);
  const detail = causes.map(({ text }) => text).join(' ');
  const hasCause = (kind: SyncCause['kind']) => causes.some((cause) => cause.kind === kind);
  // A new integration has had no contact with either platform yet.
  const isNew = lastPinged === null && nowMs - Date.parse(changedAt) < syncHealthRule.lateAfterMs;
  if (status !== 'Enabled' || isNew || (health !== 'Late' && health !== 'Stale')) {
    const conflicts = causes.find(({ kind }) => kind === 'conflicts');
    const route = getRecordsRoute(integration, 'conflicts');
    return conflicts ? [{ ...about, route, kind: 'sync-conflicts', detail: conflicts.text, at: null }] : [];
  }
  const kind = health === 'Stale' ? 'stale-sync' : 'late-sync';
  const at = !hasCause('delay') || lastPinged === null ? null : new Date(lastPinged).toISOString();
  const isOnlyHeld = hasCause('held') && !hasCause('delay') && !hasCause('obstacle');
  return [{ ...about, ...(isOnlyHeld && { route: getHeldRoute(integration) }), kind, detail, at }];
}

function getRecordsRoute({ id }: SyncIntegration, tab: string): string {
  return `/sync?records=${encodeURIComponent(id)}&tab=${tab}`;
}

/** Returns the route of the list with the most urgent held records. */
function getHeldRoute(integration: SyncIntegration): string {
  const { deadLetters, waiting, parked, skipped, failedFiles } = integration;
  const counts = { dead: deadLetters, waiting, parked, skipped, files: failedFiles };
  const [tab = 'enrollment'] = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : []));
  return getRecordsRoute(integration, tab);
}
