import type { Attention } from '@portal/contract/attention';
import { listIntegrations, type SyncIntegration, syncHealthRule } from '@portal/contract/sync-integration';
import { Unreachable } from '@portal/kit/problems';
import { Silent } from '@portal/platforms/reachability';
import { ExpiringCache } from '../../expiring-cache.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';

type Reported = Attention & { readonly appId: string };

/**
 * Reports integrations that are halted, or enabled but delayed. All home pages of an environment
 * share what was read within `sharedMs`: the list of all integrations is long.
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
  if (status !== 'Enabled' || (health !== 'Late' && health !== 'Stale')) return [];
  // A new integration has had no contact with either platform yet.
  if (lastPinged === null && nowMs - Date.parse(changedAt) < syncHealthRule.lateAfterMs) return [];
  const kind = health === 'Stale' ? 'stale-sync' : 'late-sync';
  const isSilent = lastPinged === null || nowMs - lastPinged > syncHealthRule.lateAfterMs;
  const delay = describeDelay(integration) ?? (isSilent ? 'Its platforms are not responding.' : undefined);
  const obstacle = describeObstacle(integration);
  const held = describeHeld(integration);
  const detail = [delay, obstacle, held].filter((cause) => cause !== undefined).join(' ');
  const at = delay === undefined || lastPinged === null ? null : new Date(lastPinged).toISOString();
  if (delay !== undefined || obstacle !== undefined || held === undefined) return [{ ...about, kind, detail, at }];
  return [{ ...about, route: getHeldRoute(integration), kind, detail, at }];
}

/** Returns the route of the list with the most urgent held records. */
function getHeldRoute(integration: SyncIntegration): string {
  const { id, deadLetters, waiting, parked, skipped, failedFiles } = integration;
  const counts = { dead: deadLetters, waiting, parked, skipped, files: failedFiles };
  const [tab = 'enrollment'] = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : []));
  return `/sync?records=${encodeURIComponent(id)}&tab=${tab}`;
}

/** Returns undefined while both directions work. */
function describeObstacle({ heliumSyncStatus, journeySyncStatus, horizonHeldBy }: SyncIntegration): string | undefined {
  const isWorking = (status: string) => ['Live', 'Catching up', 'Off'].includes(status);
  const texts = new Set([heliumSyncStatus, journeySyncStatus].filter((status) => !isWorking(status)));
  if (horizonHeldBy !== null) texts.add(`Change log ${horizonHeldBy}`);
  return texts.size === 0 ? undefined : [...texts].map((text) => (text.endsWith('.') ? text : `${text}.`)).join(' ');
}

function describeHeld(integration: SyncIntegration): string | undefined {
  const { deadLetters, waiting, parked, skipped, waitingFiles, failedFiles, waitingEnrollment } = integration;
  const counts = [
    [deadLetters, deadLetters === 1 ? 'dead letter' : 'dead letters'],
    [waiting, 'waiting'],
    [parked, 'parked'],
    [skipped, 'skipped'],
  ] as const;
  const texts = counts.filter(([count]) => count > 0).map(([count, name]) => `${count.toLocaleString('en')} ${name}`);
  const failed = failedFiles === 0 ? '' : `, of which ${failedFiles.toLocaleString('en')} failed`;
  const sentences = [
    ...(texts.length === 0 ? [] : [`Records not in sync: ${texts.join(', ')}.`]),
    ...(waitingFiles === 0 ? [] : [`Files not synced yet: ${waitingFiles.toLocaleString('en')}${failed}.`]),
    ...(waitingEnrollment === 0 ? [] : [`Waiting in enrollment: ${waitingEnrollment.toLocaleString('en')}.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Returns undefined if no changes have been waiting for a minute. */
function describeDelay({ heliumToJourneyLagMs, journeyToHeliumLagMs }: SyncIntegration): string | undefined {
  const worstMs = Math.max(heliumToJourneyLagMs, journeyToHeliumLagMs);
  if (worstMs < 60_000) return undefined;
  const direction = heliumToJourneyLagMs >= journeyToHeliumLagMs ? 'to Journey' : 'to Helium';
  return `Changes ${direction} have been waiting for ${formatDuration(worstMs)}.`;
}

function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `${Math.floor(minutes / 60)} hours`;
}
