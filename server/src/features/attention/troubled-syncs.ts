import type { Attention } from '@portal/contract/attention';
import { type SyncIntegration, syncHealthRule } from '@portal/contract/sync-integration';
import { Unreachable } from '@portal/kit/problems';
import { listForCaller } from '../../sync-service/caller-integrations.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';
import type { AttentionSource, Looked } from './attention-source.ts';

/** Integrations that are halted, or enabled and behind. */
export function troubledSyncs(service: SyncService): AttentionSource {
  return {
    action: 'sync.view',
    subject: 'the sync integrations',
    async look(caller, signal): Promise<Looked> {
      try {
        const integrations = await listForCaller(service, caller, signal);
        const nowMs = Date.now();
        return { items: integrations.flatMap((integration) => troubleOf(integration, nowMs)), problems: [] };
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        return { items: [], problems: [`The sync integrations could not be looked at: ${error.message}`] };
      }
    },
  };
}

function troubleOf(integration: SyncIntegration, nowMs: number): Attention[] {
  const { id, appName, status, health, haltReason, haltedSince, lastPinged, changedAt } = integration;
  const about = { title: appName, route: `/sync/${encodeURIComponent(id)}` };
  if (status === 'Halted') {
    return [
      { ...about, kind: 'halted-sync', detail: haltReason ?? 'It stopped, and gave no reason.', at: haltedSince },
    ];
  }
  if (status !== 'Enabled' || (health !== 'Late' && health !== 'Stale')) return [];
  // One that was just made has not been heard of by either side yet.
  if (lastPinged === null && nowMs - Date.parse(changedAt) < syncHealthRule.lateAfterMs) return [];
  const at = lastPinged === null ? null : new Date(lastPinged).toISOString();
  const detail = delayOf(integration) ?? 'Its platforms do not answer.';
  return [{ ...about, kind: health === 'Stale' ? 'stale-sync' : 'late-sync', detail, at }];
}

/** undefined where nothing waits: then it is a platform that was not heard of. */
function delayOf({ heliumToJourneyLagMs, journeyToHeliumLagMs }: SyncIntegration): string | undefined {
  const worstMs = Math.max(heliumToJourneyLagMs, journeyToHeliumLagMs);
  if (worstMs < 60_000) return undefined;
  const direction = heliumToJourneyLagMs >= journeyToHeliumLagMs ? 'to Journey' : 'to Helium';
  return `Changes on their way ${direction} have waited for ${inWords(worstMs)}.`;
}

function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `${Math.floor(minutes / 60)} hours`;
}
