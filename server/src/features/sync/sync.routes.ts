import type { Endpoint, RequestOf } from '@portal/contract/endpoint';
import { listActivity } from '@portal/contract/sync/activity';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync/base';
import { getTemplate, getTemplateEnrollment, testConnection } from '@portal/contract/sync/config';
import { getConflictFile, restoreConflictFile, reviewConflicts } from '@portal/contract/sync/conflicts';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import { removeUnlisted, retryEnrollment } from '@portal/contract/sync/enrollment-status';
import { lookAgain } from '@portal/contract/sync/find';
import { getIntegration, listIntegrations, moveCursor, setEnabled } from '@portal/contract/sync/integration';
import { retryFiles, retryHeld, skipFiles, skipHeld } from '@portal/contract/sync/records';
import { answerRecovery as answerEndpoint } from '@portal/contract/sync/recovery';
import { saveWebhookSecrets } from '@portal/contract/sync/webhooks';
import type * as z from 'zod/mini';
import type { Dependencies } from '../../dependencies.ts';
import { toAttachment } from '../../http/attachment.ts';
import type { Handler } from '../../http/call.ts';
import { type Route, route } from '../../http/route.ts';
import { listForCaller, maskPassword } from '../../sync-service/caller-integrations.ts';
import { connectionTestTimeoutMs } from '../../sync-service/connection-test-timeout.ts';
import { answerRecovery } from './answer-recovery.ts';
import { switchIntegrations } from './switch-integrations.ts';
import { getVersions, locateApp, maskConfig, toAppPayload } from './sync-payloads.ts';

type ForwardedEndpoint = Endpoint<z.ZodMiniType | null, z.ZodMiniType>;

/** Serves the sync service's calls at each of its three bases. */
export function syncRoutes(dependencies: Dependencies): readonly Route[] {
  return syncBases.flatMap((base) => routesAt(base, dependencies));
}

function routesAt(base: SyncBase, dependencies: Dependencies): Route[] {
  const { syncService: service, appDatabases } = dependencies;

  const at = <E extends Endpoint>(endpoint: E, handler: Handler<E>) => route(withBase(base, endpoint), handler);

  /** Serves a call by that of the service, for which the caller's rights are checked. */
  function forward<E extends ForwardedEndpoint>(endpoint: E, describe?: (input: RequestOf<E>) => string): Route {
    return at<ForwardedEndpoint>(endpoint, async ({ caller, input, params, signal, noted }) => {
      // The input was read with the schema of E.
      if (noted && describe) noted.description = describe(input as RequestOf<E>);
      const options = { params, payload: { ...Object(input) }, ...(!noted && { signal }) };
      const result = await service.call(caller, endpoint, options);
      if (noted && describe) noted.after = result;
      return result;
    });
  }

  const special: readonly Route[] = [
    at(listIntegrations, ({ caller, signal }) => listForCaller(service, caller, signal)),
    at(listActivity, async ({ caller, signal }) => {
      const [{ from, integrations }, { byId }] = await Promise.all([
        service.call(caller, listActivity, { signal }),
        caller.apps({ forReading: true, signal }),
      ]);
      return { from, integrations: integrations.filter(({ appId }) => byId.has(appId)) };
    }),
    at(getIntegration, async ({ caller, params }) => {
      const { config, ...integration } = await service.call(caller, getIntegration, { params });
      return { ...maskPassword(integration), config: maskConfig(config) };
    }),
    at(getConflictFile, async ({ caller, input, params, reply, signal, noted }) => {
      noted.description = `File ${input.no} of a conflict downloaded`;
      const { fileName, size, bytes } = await service.open(caller, getConflictFile, {
        params,
        payload: input,
        signal,
      });
      noted.after = { fileName, size };
      reply.header('content-length', size).header('content-disposition', toAttachment(fileName));
      return bytes;
    }),
    at(getTemplate, ({ caller, app, dataSource, input }) => {
      const payload = { ...input, dataSource: dataSource.name, environment: caller.environment.name };
      return service.call(caller, getTemplate, { payload: { ...payload, app: toAppPayload(app) } });
    }),
    at(getTemplateEnrollment, ({ caller, app, input }) => {
      const payload = { ...input, environment: caller.environment.name, app: toAppPayload(app) };
      return service.call(caller, getTemplateEnrollment, { payload });
    }),
    at(testConnection, async ({ caller, app, input, noted }) => {
      const payload = { ...input, ...(await locateApp(appDatabases, caller.environment, app)) };
      const options = { payload, timeoutMs: connectionTestTimeoutMs };
      const result = await service.call(caller, testConnection, options);
      noted.after = { helium: result.helium.reached, journey: result.journey.reached };
      return result;
    }),
    at(setEnabled, ({ caller, apps, input, noted }) => switchIntegrations(service, { caller, apps, noted }, input)),
    at(moveCursor, async ({ caller, app, input, noted }) => {
      noted.description = `${input.direction} continues from version ${input.version}`;
      const stored = await service.call(caller, getIntegration, { params: { appId: app.id } });
      noted.before = getVersions(stored);
      // A halted integration is tested first, because this enables it.
      const options = { payload: input, timeoutMs: connectionTestTimeoutMs };
      const moved = maskPassword(await service.call(caller, moveCursor, options));
      noted.after = getVersions(moved);
      return moved;
    }),
    at(answerEndpoint, ({ caller, input, noted }) => answerRecovery(service, { caller, noted }, input)),
    at(lookAgain, ({ caller, input, noted }) => {
      const records = input.records.map(({ table, id }) => `${table}/${id}`);
      noted.description = `Records read again: ${records.join(', ').slice(0, 200)}`;
      return service.call(caller, lookAgain, { payload: input });
    }),
    forward(restoreConflictFile, ({ no }) => `File ${no} of a conflict restored`),
    forward(reviewConflicts, (input) => `Conflicts reviewed: ${describeReview(input)}`),
    forward(retryHeld, (input) => `Held records retried: ${describeSelection(input)}`),
    forward(skipHeld, (input) => `Held records skipped: ${describeSelection(input)}`),
    forward(retryFiles, ({ nos }) => (nos ? `Files retried: ${nos.length}` : 'All files retried')),
    forward(skipFiles, ({ nos }) => `Files skipped: ${nos.length}`),
    forward(removeUnlisted, ({ subject }) => `Removal of what Journey no longer lists: ${subject}`),
    forward(retryEnrollment, ({ subjects }) =>
      subjects ? `Enrollment retried: ${subjects.join(', ')}` : 'All enrollment retried',
    ),
    forward(saveWebhookSecrets, ({ secrets }) =>
      secrets.length === 0 ? 'Webhook secrets removed' : `Webhook secrets replaced: ${secrets.length}`,
    ),
  ];
  const specialPaths = new Set(special.map(({ endpoint }) => endpoint.path));
  const others = syncEndpoints
    .filter((endpoint) => !specialPaths.has(withBase(base, endpoint).path))
    .filter(isForwarded)
    .map((endpoint) => forward(endpoint));
  return [...special, ...others];
}

function isForwarded<E extends Endpoint>(endpoint: E): endpoint is E & ForwardedEndpoint {
  return typeof endpoint.response !== 'string';
}

const takenNames = {
  winner: 'kept as decided',
  helium: 'Helium’s value taken',
  journey: 'Journey’s value taken',
  value: 'another value written',
} as const;

function describeReview({ take, nos, field }: RequestOf<typeof reviewConflicts>): string {
  const which = field ? `all of ${field.table}.${field.column ?? '(deleted records)'}` : (nos ?? []).join(', ');
  return `${takenNames[take]}, ${which.slice(0, 200)}`;
}

function describeSelection({
  nos,
  kind,
}: {
  readonly nos?: readonly string[] | undefined;
  readonly kind?: string | undefined;
}) {
  if (kind !== undefined) return `all of kind ${kind}`;
  return nos === undefined ? 'none' : nos.join(', ').slice(0, 200);
}
