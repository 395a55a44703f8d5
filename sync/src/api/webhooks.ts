/** Receives Journey's webhooks, and lets operators see whether they arrive. */
import { receiveWebhook } from '@portal/contract/operations';
import { maxWebhookBytes, type Webhooks, webhookSignatureHeader } from '@portal/contract/sync-webhooks';
import { NotFound, Refused } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { StoredIntegration } from '../integration/integration.ts';
import { recordWebhook } from '../portal-store/wake-ups.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import { isSigned } from './webhook-signature.ts';

/** How often an integration's log reports that webhooks are refused. */
const reportEveryMs = 600_000;

const addressSchema = z.uuid();

/**
 * Serves the server's calls for Journey's webhooks. A webhook only wakes the run, so a repeated one
 * does no harm.
 */
export function webhookRoutes(app: FastifyInstance, { apiPool, webhooks, logWriter }: ServiceParts): void {
  const reports = new Map<string, number>();

  const reportRefusal = (id: string, nowMs: number) => {
    if (nowMs - (reports.get(id) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
    reports.set(id, nowMs);
    logWriter.write(id, 'WARNING', 'A webhook was refused: it is not signed with a secret of this integration.');
  };

  app.post<{ Params: { address: string }; Body: Buffer | undefined }>(
    '/webhooks/:address',
    { config: { maxRawBytes: maxWebhookBytes } },
    async ({ params, headers, body = Buffer.alloc(0) }) => {
      const { success, data: address } = addressSchema.safeParse(params.address);
      const receiver = success ? await webhooks.findByAddress(address) : undefined;
      if (!receiver) throw new NotFound('No integration has this webhook address.');
      const signature = headers[webhookSignatureHeader];
      if (typeof signature !== 'string' || !isSigned(body, signature, receiver.secrets)) {
        reportRefusal(receiver.id, Date.now());
        throw new Refused('The webhook is not signed with a secret that is stored for this integration.');
      }
      await recordWebhook(apiPool, receiver.id);
      return { status: 'ok' };
    },
  );
}

export async function readWebhooks({ webhooks }: ServiceParts, integration: StoredIntegration): Promise<Webhooks> {
  const { address, secrets } = await webhooks.read(integration);
  const { webhookReceivedMs, webhookMissedMs } = integration.figures;
  return {
    path: receiveWebhook.path.replace(':address', address),
    secrets: secrets.length,
    lastReceived: webhookReceivedMs,
    missedAt: webhookMissedMs,
  };
}
