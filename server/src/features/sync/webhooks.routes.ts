import { receiveWebhook } from '@portal/contract/operations';
import { maxWebhookBytes, webhookSignatureHeader } from '@portal/contract/sync/webhooks';
import { NotFound } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import { toNetwork } from '../../client-network.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Webhook } from '../../sync-service/sync-service.ts';
import { FairBatches } from './fair-batches.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The sync service gets at most one batch in this time, for all integrations. */
const spacingMs = 25;
/** What a webhook without a body counts, because its verdict is work, too. */
const bytesPerWebhook = 256;
/** Longer than any signature, so that a batch has no room for other texts. */
const maxSignatureLength = 100;
const megabyte = 1024 * 1024;

/**
 * Receives Journey's webhooks without a session, and forwards them to the sync service, which has
 * the secrets and checks the signature of each. It merges only those that are signed, because
 * anyone who knows an address can send others.
 */
export function webhookRoutes(app: FastifyInstance, { syncService }: Dependencies): void {
  const forwarded = new FairBatches<Webhook>({
    spacingMs,
    getBytes: ({ body }) => bytesPerWebhook + body.length,
    batchBytes: maxWebhookBytes,
    waitingBytes: 16 * megabyte,
    waitingBytesPerSender: 2 * megabyte,
    judge: (webhooks) => syncService.forwardWebhooks(webhooks),
  });

  app.post<{ Params: { address: string }; Body: Buffer | undefined }>(
    receiveWebhook.path,
    { config: { maxRawBytes: receiveWebhook.cost.maxBodyBytes } },
    async ({ params: { address }, headers, body = Buffer.alloc(0), id, ip }) => {
      if (!uuid.test(address)) throw new NotFound('No integration has this webhook address.');
      const signature = String(headers[webhookSignatureHeader] ?? '').slice(0, maxSignatureLength);
      await forwarded.run(toNetwork(ip), { address: address.toLowerCase(), body, signature, requestId: id });
      return { status: 'ok' };
    },
  );
}
