import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import type { FastifyInstance } from 'fastify';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { saveStoppedFigures } from '../portal-store/figures.store.ts';
import { wakeRun } from '../portal-store/wake-ups.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import { requireIntegration } from './delete-integration.ts';
import { type Call, type Handler, route } from './route.ts';

export type ApiParts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

export type SyncRouter = ReturnType<typeof createRouter>;

/** What each file of routes registers its endpoints with. */
export function createRouter(app: FastifyInstance, parts: ApiParts) {
  const { pool, operations, logWriter } = parts;
  return {
    parts,

    route: <E extends Endpoint>(endpoint: E, handler: Handler<E>) => route(app, endpoint, handler),

    /** Serves a call about the integration of one app. */
    routeTo: <E extends Endpoint>(
      endpoint: E,
      handler: (integration: StoredIntegration, call: Call<E>) => Promise<ResponseOf<E>>,
    ) => route(app, endpoint, async (call) => handler(await requireIntegration(parts, call.caller, call.appId), call)),

    /** Logs what an operator did, and lets the run see it. */
    logAndWake: async (integration: StoredIntegration, text: string, level: 'INFO' | 'WARNING' = 'INFO') => {
      const { id, status } = integration;
      logWriter.write(id, level, text);
      await wakeRun(pool, id);
      // A run counts on its own.
      if (status !== 'Enabled') await saveStoppedFigures(pool, id, await operations.readCounts(integration));
    },
  };
}
