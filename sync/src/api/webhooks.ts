/** Judges Journey's webhooks, and lets operators see whether they arrive. */
import { receiveWebhook } from '@portal/contract/operations';
import {
  forwardedWebhooksSchema,
  maxWebhookBytes,
  minWebhookSecretLength,
  type Webhooks,
  type webhookVerdictsSchema,
} from '@portal/contract/sync/webhooks';
import { Invalid, NotFound, type Problem, Refused } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { StoredIntegration } from '../integration/integration.ts';
import { recordWebhooks } from '../portal-store/wake-ups.store.ts';
import type { WebhookReceiver } from '../portal-store/webhooks.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import { isSigned } from './webhook-signature.ts';

/** How often an integration's log reports that webhooks are refused. */
const reportEveryMs = 600_000;

/** A batch has one webhook of the largest size, or many small ones. All are in base64. */
const maxBatchBytes = 4 * maxWebhookBytes;

const addressSchema = z.uuid();
const batchSchema = z.pipe(z.transform(parseJson), forwardedWebhooksSchema);

/**
 * Serves the server's calls for Journey's webhooks. Each webhook gets a verdict by its own bytes
 * and signature. Those that are accepted wake the run of their integration once.
 */
export function webhookRoutes(app: FastifyInstance, { apiPool, webhooks, logWriter }: ServiceParts): void {
  const reports = new Map<string, number>();

  const reportRefusal = (id: string, nowMs: number) => {
    if (nowMs - (reports.get(id) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
    reports.set(id, nowMs);
    logWriter.write(id, 'WARNING', 'A webhook was refused: it is not signed with a secret of this integration.');
  };

  app.post<{ Body: Buffer | undefined }>(
    '/webhooks',
    { config: { maxRawBytes: maxBatchBytes } },
    async ({ body }): Promise<z.infer<typeof webhookVerdictsSchema>> => {
      const { success, data: batch } = batchSchema.safeParse(String(body));
      if (!success) throw new Invalid('The webhooks are not as expected.');
      const addresses = batch.map(({ address }) => address).filter((one) => addressSchema.safeParse(one).success);
      const receivers = await webhooks.findByAddresses([...new Set(addresses)]);
      const accepted = new Set<string>();
      const verdicts = batch.map(({ address, signature, body: sent }) => {
        const receiver = receivers.get(address);
        const problem = judge(receiver, Buffer.from(sent, 'base64'), signature);
        if (receiver && !(receiver instanceof Invalid)) {
          if (problem) reportRefusal(receiver.id, Date.now());
          else accepted.add(receiver.id);
        }
        return problem && { status: problem.status, message: problem.message };
      });
      if (accepted.size > 0) await recordWebhooks(apiPool, [...accepted]);
      return verdicts;
    },
  );
}

function judge(receiver: WebhookReceiver | Invalid | undefined, body: Buffer, signature: string): Problem | null {
  if (!receiver) return new NotFound('No integration has this webhook address.');
  if (receiver instanceof Invalid) return receiver;
  if (isSigned(body, signature, receiver.secrets)) return null;
  return new Refused('The webhook is not signed with a secret that is stored for this integration.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function readWebhooks({ webhooks }: ServiceParts, integration: StoredIntegration): Promise<Webhooks> {
  const { address, secrets } = await webhooks.read(integration);
  const { webhookReceivedMs, webhookMissedMs } = integration.figures;
  return {
    path: receiveWebhook.path.replace(':address', address),
    secrets: secrets.length,
    shortSecrets: secrets.filter(({ length }) => length < minWebhookSecretLength).length,
    lastReceived: webhookReceivedMs,
    missedAt: webhookMissedMs,
  };
}
