import type { App } from '@portal/contract/apps';
import type { Endpoint } from '@portal/contract/endpoint';
import * as contract from '@portal/contract/sync';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync-base';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toAttachment } from '../../http/attachment.ts';
import { type Handler, type Route, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller, maskPassword } from '../../sync-service/caller-integrations.ts';
import { answerRecovery } from './answer-recovery.ts';
import { findMachine, type MachineCaller } from './machine-caller.ts';
import { requireBase } from './require-base.ts';
import { runAudited } from './run-audited.ts';
import { switchIntegrations } from './switch-integrations.ts';
import { getVersions, locateApp, maskConfig, toAppPayload } from './sync-payloads.ts';

/** Longer than the service's own timeout for Journey, so that the service can report it. */
const testTimeoutMs = 45_000;

const appParams = z.object({ appId: z.string() });

/** Serves the sync service's calls at each of its three bases, with access checks. */
export function syncRoutes(dependencies: Dependencies): readonly Route[] {
  return syncBases.flatMap((base) => routesAt(base, dependencies));
}

function routesAt(base: SyncBase, dependencies: Dependencies): Route[] {
  const { config, callers, environments, permissions, syncService: service, appDatabases } = dependencies;

  function at<RequestSchema extends z.ZodMiniType | null, ResponseSchema extends z.ZodMiniType | 'bytes'>(
    endpoint: Endpoint<RequestSchema, ResponseSchema, 'session'>,
    handler: Handler<Endpoint<RequestSchema, ResponseSchema, 'session'>>,
  ): Route<Endpoint<RequestSchema, ResponseSchema, 'session'>> {
    return route(withBase(base, endpoint), (call) => {
      requireBase(call.caller, base);
      return handler(call);
    });
  }

  const requireVisibleApp = async (caller: Caller, appId: string): Promise<App> => {
    await permissions.require(caller, 'sync.view', { resource: appId });
    return requireApp(caller, appId, 'sync.view');
  };
  const requireVisibleParams = async (
    caller: Caller,
    request: FastifyRequest,
  ): Promise<{ readonly params: { appId: string } }> => {
    const { appId } = appParams.parse(request.params);
    await requireVisibleApp(caller, appId);
    return { params: { appId } };
  };
  const readIntegration = async (caller: Caller | MachineCaller, request: FastifyRequest) => {
    requireBase(caller, base);
    const params =
      'apps' in caller ? await requireVisibleParams(caller, request) : { params: appParams.parse(request.params) };
    return service.call(caller, contract.getIntegration, params);
  };

  return [
    at(contract.listIntegrations, async ({ caller, signal }) => {
      await permissions.require(caller, 'sync.view');
      return listForCaller(service, caller, signal);
    }),
    // Open, because service accounts without a session may call it too; the handler checks the
    // caller.
    route({ ...withBase(base, contract.getIntegration), access: 'open' }, async ({ request }) => {
      const machine = findMachine(config.syncServiceAccounts, environments, base, request);
      const found = machine
        ? await readIntegration(machine, request)
        : await readIntegration(await callers.require(request), request);
      return { integration: maskPassword(found.integration), config: maskConfig(found.config) };
    }),
    at(contract.getHeldRecords, async ({ caller, input, request }) =>
      service.call(caller, contract.getHeldRecords, {
        ...(await requireVisibleParams(caller, request)),
        payload: input,
      }),
    ),
    at(contract.getConflicts, async ({ caller, input, request }) =>
      service.call(caller, contract.getConflicts, { ...(await requireVisibleParams(caller, request)), payload: input }),
    ),
    at(contract.getConflictFile, async ({ caller, input, request, reply, signal }) => {
      const { appId } = appParams.parse(request.params);
      const { fileName, size, bytes } = await runAudited(dependencies, caller, appId, {
        permission: 'sync.view',
        action: 'sync.download-file',
        description: `File ${input.no} of a conflict downloaded`,
        run: () => service.open(caller, contract.getConflictFile, { params: { appId }, payload: input, signal }),
        after: (file) => ({ fileName: file.fileName, size: file.size }),
      });
      reply.header('content-length', size).header('content-disposition', toAttachment(fileName));
      return bytes;
    }),
    at(contract.restoreConflictFile, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.restore-file',
        description: `File ${input.no} of a conflict restored`,
        run: () => service.call(caller, contract.restoreConflictFile, { payload: input }),
        after: (result) => result,
      }),
    ),
    at(contract.getWaitingFiles, async ({ caller, input, request }) =>
      service.call(caller, contract.getWaitingFiles, {
        ...(await requireVisibleParams(caller, request)),
        payload: input,
      }),
    ),
    at(contract.getEnrollment, async ({ caller, request }) =>
      service.call(caller, contract.getEnrollment, await requireVisibleParams(caller, request)),
    ),
    at(contract.getStatusHistory, async ({ caller, request }) =>
      service.call(caller, contract.getStatusHistory, await requireVisibleParams(caller, request)),
    ),
    at(contract.getTemplate, async ({ caller, input }) => {
      const app = await requireVisibleApp(caller, input.uuid);
      const { name } = appDatabases.require(caller.environment, input.dataSource);
      const payload = { ...input, dataSource: name, environment: caller.environment.name, app: toAppPayload(app) };
      return service.call(caller, contract.getTemplate, { payload });
    }),
    at(contract.getTemplateEnrollment, async ({ caller, input }) => {
      const app = await requireVisibleApp(caller, input.uuid);
      const payload = { ...input, environment: caller.environment.name, app: toAppPayload(app) };
      return service.call(caller, contract.getTemplateEnrollment, { payload });
    }),
    at(contract.testConnection, ({ caller, input }) =>
      runAudited(dependencies, caller, input.config.helium.appId, {
        permission: 'sync.change',
        action: 'sync.test-connection',
        description: 'Connection tested',
        async run(app) {
          const location = await locateApp(appDatabases, caller.environment, app);
          return service.call(caller, contract.testConnection, {
            payload: { ...input, ...location },
            timeoutMs: testTimeoutMs,
          });
        },
        after: ({ helium, journey }) => ({ helium: helium.reached, journey: journey.reached }),
      }),
    ),
    at(contract.revealPassword, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.reveal',
        action: 'sync.reveal-password',
        description: 'Journey password shown',
        run: () => service.call(caller, contract.revealPassword, { payload: input }),
      }),
    ),
    at(contract.setEnabled, ({ caller, input }) => switchIntegrations(dependencies, caller, input)),
    at(contract.retryHeld, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.retry',
        description: `Held records retried: ${describeSelection(input)}`,
        run: () => service.call(caller, contract.retryHeld, { payload: input }),
        after: (result) => result,
      }),
    ),
    at(contract.retryFiles, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.retry-files',
        description: input.nos ? `Files retried: ${input.nos.length}` : 'All files retried',
        run: () => service.call(caller, contract.retryFiles, { payload: input }),
        after: (result) => result,
      }),
    ),
    at(contract.retryEnrollment, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.retry-enrollment',
        description: input.subjects ? `Enrollment retried: ${input.subjects.join(', ')}` : 'All enrollment retried',
        run: () => service.call(caller, contract.retryEnrollment, { payload: input }),
        after: (result) => result,
      }),
    ),
    at(contract.skipHeld, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.skip',
        description: `Held records skipped: ${describeSelection(input)}`,
        run: () => service.call(caller, contract.skipHeld, { payload: input }),
        after: (result) => result,
      }),
    ),
    at(contract.findRecords, async ({ caller, input, signal }) => {
      await requireVisibleApp(caller, input.appId);
      return service.call(caller, contract.findRecords, { payload: input, signal });
    }),
    at(contract.lookAgain, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.look-again',
        description: `Records read again: ${input.records
          .map(({ table, id }) => `${table}/${id}`)
          .join(', ')
          .slice(0, 200)}`,
        run: () => service.call(caller, contract.lookAgain, { payload: input }),
      }),
    ),
    at(contract.tryNow, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.try-now',
        description: 'Next attempt requested',
        run: () => service.call(caller, contract.tryNow, { payload: input }),
      }),
    ),
    at(contract.moveCursor, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.move-cursor',
        description: `${input.direction} continues from version ${input.version}`,
        before: async ({ id }) =>
          getVersions((await service.call(caller, contract.getIntegration, { params: { appId: id } })).integration),
        run: async () => maskPassword(await service.call(caller, contract.moveCursor, { payload: input })),
        after: getVersions,
      }),
    ),
    at(contract.getDrift, async ({ caller, request }) =>
      service.call(caller, contract.getDrift, await requireVisibleParams(caller, request)),
    ),
    at(contract.auditDrift, ({ caller, input }) =>
      runAudited(dependencies, caller, input.appId, {
        permission: 'sync.change',
        action: 'sync.audit-drift',
        description: 'Full comparison run',
        run: () => service.call(caller, contract.auditDrift, { payload: input }),
      }),
    ),
    at(contract.getRecovery, async ({ caller, request }) =>
      service.call(caller, contract.getRecovery, await requireVisibleParams(caller, request)),
    ),
    at(contract.answerRecovery, ({ caller, input }) => answerRecovery(dependencies, caller, input)),
  ];
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
