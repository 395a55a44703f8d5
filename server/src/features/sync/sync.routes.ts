import type { App } from '@portal/contract/apps';
import type { Endpoint } from '@portal/contract/endpoint';
import * as contract from '@portal/contract/sync';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync-base';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Handler, type Route, route } from '../../http/route.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller, masked } from '../../sync-service/caller-integrations.ts';
import { findMachine, type MachineCaller } from './machine-caller.ts';
import { requireBase } from './require-base.ts';
import { switchIntegrations } from './switch-integrations.ts';
import { act } from './sync-acts.ts';
import { locate, maskedConfig, tell, versionsOf } from './told-integrations.ts';

/** Longer than the service waits for a Journey that says nothing, so that it can tell so. */
const tryingMs = 45_000;

const appParams = z.object({ appId: z.string() });

/** The sync service's calls at each of its three bases, for those who may make them. */
export function syncRoutes(dependencies: Dependencies): readonly Route[] {
  return syncBases.flatMap((base) => routesAt(base, dependencies));
}

function routesAt(base: SyncBase, dependencies: Dependencies): Route[] {
  const { config, callers, environments, permissions, syncService: service, appDatabases } = dependencies;

  function at<Takes extends z.ZodMiniType | null, Answers extends z.ZodMiniType>(
    endpoint: Endpoint<Takes, Answers, 'session'>,
    handler: Handler<Endpoint<Takes, Answers, 'session'>>,
  ): Route<Endpoint<Takes, Answers, 'session'>> {
    return route(withBase(base, endpoint), (call) => {
      requireBase(call.caller, base);
      return handler(call);
    });
  }

  const see = async (caller: Caller, appId: string): Promise<App> => {
    await permissions.require(caller, 'sync.view', appId);
    return requireApp(caller, appId);
  };
  const seen = async (caller: Caller, request: FastifyRequest): Promise<{ readonly params: { appId: string } }> => {
    const { appId } = appParams.parse(request.params);
    await see(caller, appId);
    return { params: { appId } };
  };
  const readFor = async (caller: Caller | MachineCaller, request: FastifyRequest) => {
    requireBase(caller, base);
    const place = 'apps' in caller ? await seen(caller, request) : { params: appParams.parse(request.params) };
    return service.call(caller, contract.getIntegration, place);
  };

  return [
    at(contract.listIntegrations, async ({ caller }) => {
      await permissions.require(caller, 'sync.view');
      return listForCaller(service, caller);
    }),
    // Machines may call it as well, who have no session: so it is looked at here who calls.
    route({ ...withBase(base, contract.getIntegration), access: 'open' }, async ({ request }) => {
      const machine = findMachine(config.syncServiceAccounts, environments, base, request);
      const found = machine ? await readFor(machine, request) : await readFor(await callers.require(request), request);
      return { integration: masked(found.integration), config: maskedConfig(found.config) };
    }),
    at(contract.getHeldRecords, async ({ caller, input, request }) =>
      service.call(caller, contract.getHeldRecords, { ...(await seen(caller, request)), sends: input }),
    ),
    at(contract.getConflicts, async ({ caller, input, request }) =>
      service.call(caller, contract.getConflicts, { ...(await seen(caller, request)), sends: input }),
    ),
    at(contract.getStatusHistory, async ({ caller, request }) =>
      service.call(caller, contract.getStatusHistory, await seen(caller, request)),
    ),
    at(contract.getTemplate, async ({ caller, input }) => {
      const app = await see(caller, input.uuid);
      const { name } = appDatabases.require(caller.environment, input.dataSource);
      const sends = { ...input, dataSource: name, environment: caller.environment.name, app: tell(app) };
      return service.call(caller, contract.getTemplate, { sends });
    }),
    at(contract.getTemplateEnrollment, async ({ caller, input }) => {
      const app = await see(caller, input.uuid);
      const sends = { ...input, environment: caller.environment.name, app: tell(app) };
      return service.call(caller, contract.getTemplateEnrollment, { sends });
    }),
    at(contract.testConnection, ({ caller, input }) =>
      act(dependencies, caller, input.config.helium.appId, {
        needs: 'sync.change',
        action: 'sync.test-connection',
        description: 'Both ends tried',
        async run(app) {
          const told = await locate(appDatabases, caller.environment, app);
          return service.call(caller, contract.testConnection, { sends: { ...input, ...told }, timeoutMs: tryingMs });
        },
        after: ({ helium, journey }) => ({ helium: helium.reached, journey: journey.reached }),
      }),
    ),
    at(contract.revealPassword, ({ caller, input }) =>
      act(dependencies, caller, input.appId, {
        needs: 'sync.reveal',
        action: 'sync.reveal-password',
        description: 'Journey password shown',
        run: () => service.call(caller, contract.revealPassword, { sends: input }),
      }),
    ),
    at(contract.setEnabled, ({ caller, input }) => switchIntegrations(dependencies, caller, input)),
    at(contract.retryHeld, ({ caller, input }) =>
      act(dependencies, caller, input.appId, {
        needs: 'sync.change',
        action: 'sync.retry',
        description: `Held records tried again: ${selected(input)}`,
        run: () => service.call(caller, contract.retryHeld, { sends: input }),
        after: (answer) => answer,
      }),
    ),
    at(contract.skipHeld, ({ caller, input }) =>
      act(dependencies, caller, input.appId, {
        needs: 'sync.change',
        action: 'sync.skip',
        description: `Held records skipped: ${selected(input)}`,
        run: () => service.call(caller, contract.skipHeld, { sends: input }),
        after: (answer) => answer,
      }),
    ),
    at(contract.moveCursor, ({ caller, input }) =>
      act(dependencies, caller, input.appId, {
        needs: 'sync.change',
        action: 'sync.move-cursor',
        description: `${input.direction} continues from version ${input.version}`,
        before: async ({ id }) =>
          versionsOf((await service.call(caller, contract.getIntegration, { params: { appId: id } })).integration),
        run: async () => masked(await service.call(caller, contract.moveCursor, { sends: input })),
        after: versionsOf,
      }),
    ),
    at(contract.getDrift, async ({ caller, request }) =>
      service.call(caller, contract.getDrift, await seen(caller, request)),
    ),
    at(contract.auditDrift, ({ caller, input }) =>
      act(dependencies, caller, input.appId, {
        needs: 'sync.change',
        action: 'sync.audit-drift',
        description: 'Both sides compared whole',
        run: () => service.call(caller, contract.auditDrift, { sends: input }),
      }),
    ),
  ];
}

function selected({ nos, kind }: { readonly nos?: readonly string[] | undefined; readonly kind?: string | undefined }) {
  if (kind !== undefined) return `all like ${kind}`;
  return nos === undefined ? 'none named' : nos.join(', ').slice(0, 200);
}
