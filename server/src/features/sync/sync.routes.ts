import type { Endpoint, RequestOf } from '@portal/contract/endpoint';
import * as contract from '@portal/contract/sync';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync-base';
import type * as z from 'zod/mini';
import type { Dependencies } from '../../dependencies.ts';
import { toAttachment } from '../../http/attachment.ts';
import type { Handler } from '../../http/call.ts';
import { type Route, route } from '../../http/route.ts';
import { listForCaller, maskPassword } from '../../sync-service/caller-integrations.ts';
import { answerRecovery } from './answer-recovery.ts';
import { switchIntegrations } from './switch-integrations.ts';
import { getVersions, locateApp, maskConfig, toAppPayload } from './sync-payloads.ts';

/** Longer than the service's own timeout for Journey, so that the service can report it. */
const testTimeoutMs = 45_000;

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
    at(contract.listIntegrations, ({ caller, signal }) => listForCaller(service, caller, signal)),
    at(contract.getIntegration, async ({ caller, params }) => {
      const { integration, config } = await service.call(caller, contract.getIntegration, { params });
      return { integration: maskPassword(integration), config: maskConfig(config) };
    }),
    at(contract.getConflictFile, async ({ caller, input, params, reply, signal, noted }) => {
      noted.description = `File ${input.no} of a conflict downloaded`;
      const { fileName, size, bytes } = await service.open(caller, contract.getConflictFile, {
        params,
        payload: input,
        signal,
      });
      noted.after = { fileName, size };
      reply.header('content-length', size).header('content-disposition', toAttachment(fileName));
      return bytes;
    }),
    at(contract.getTemplate, ({ caller, app, dataSource, input }) => {
      const payload = { ...input, dataSource: dataSource.name, environment: caller.environment.name };
      return service.call(caller, contract.getTemplate, { payload: { ...payload, app: toAppPayload(app) } });
    }),
    at(contract.getTemplateEnrollment, ({ caller, app, input }) => {
      const payload = { ...input, environment: caller.environment.name, app: toAppPayload(app) };
      return service.call(caller, contract.getTemplateEnrollment, { payload });
    }),
    at(contract.testConnection, async ({ caller, app, input, noted }) => {
      const payload = { ...input, ...(await locateApp(appDatabases, caller.environment, app)) };
      const options = { payload, timeoutMs: testTimeoutMs };
      const result = await service.call(caller, contract.testConnection, options);
      noted.after = { helium: result.helium.reached, journey: result.journey.reached };
      return result;
    }),
    at(contract.setEnabled, ({ caller, apps, input, noted }) =>
      switchIntegrations(service, { caller, apps, noted }, input),
    ),
    at(contract.moveCursor, async ({ caller, app, input, noted }) => {
      noted.description = `${input.direction} continues from version ${input.version}`;
      const stored = await service.call(caller, contract.getIntegration, { params: { appId: app.id } });
      noted.before = getVersions(stored.integration);
      const moved = maskPassword(await service.call(caller, contract.moveCursor, { payload: input }));
      noted.after = getVersions(moved);
      return moved;
    }),
    at(contract.answerRecovery, ({ caller, input, noted }) => answerRecovery(service, { caller, noted }, input)),
    at(contract.lookAgain, ({ caller, input, noted }) => {
      const records = input.records.map(({ table, id }) => `${table}/${id}`);
      noted.description = `Records read again: ${records.join(', ').slice(0, 200)}`;
      return service.call(caller, contract.lookAgain, { payload: input });
    }),
    forward(contract.restoreConflictFile, ({ no }) => `File ${no} of a conflict restored`),
    forward(contract.retryHeld, (input) => `Held records retried: ${describeSelection(input)}`),
    forward(contract.skipHeld, (input) => `Held records skipped: ${describeSelection(input)}`),
    forward(contract.retryFiles, ({ nos }) => (nos ? `Files retried: ${nos.length}` : 'All files retried')),
    forward(contract.skipFiles, ({ nos }) => `Files skipped: ${nos.length}`),
    forward(contract.removeUnlisted, ({ subject }) => `Removal of what Journey no longer lists: ${subject}`),
    forward(contract.retryEnrollment, ({ subjects }) =>
      subjects ? `Enrollment retried: ${subjects.join(', ')}` : 'All enrollment retried',
    ),
  ];
  const specialPaths = new Set(special.map(({ endpoint }) => endpoint.path));
  const others = contract.syncEndpoints
    .filter((endpoint) => !specialPaths.has(withBase(base, endpoint).path))
    .filter(isForwarded)
    .map((endpoint) => forward(endpoint));
  return [...special, ...others];
}

function isForwarded<E extends Endpoint>(endpoint: E): endpoint is E & ForwardedEndpoint {
  return typeof endpoint.response !== 'string';
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
