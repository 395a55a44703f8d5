import { receiveWebhook } from '@portal/contract/operations';
import { webhookSignatureHeader } from '@portal/contract/sync-webhooks';
import { NotFound } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import type { Webhook } from '../../sync-service/sync-service.ts';
import { LatestOnly } from './latest-only.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How many webhooks of an integration reach the sync service: at most one in this time. */
const spacingMs = 50;
/** Anyone can make up addresses, and each is looked up in the database: 2,000 a second at most. */
const maxAddresses = 100;

/**
 * Receives Journey's webhooks without a session, and forwards them to the sync service, which
 * checks their signatures. Of those that arrive faster than it needs them, the latest is forwarded.
 */
export function webhookRoutes(app: FastifyInstance, { syncService }: Dependencies): void {
  const forwarded = new LatestOnly<Webhook>({
    spacingMs,
    maxKeys: maxAddresses,
    handle: (address, webhook) => syncService.forwardWebhook(address, webhook),
  });

  app.post<{ Params: { address: string }; Body: Buffer | undefined }>(
    receiveWebhook.path,
    { config: { maxRawBytes: receiveWebhook.cost.maxBodyBytes } },
    async ({ params: { address }, headers, body = Buffer.alloc(0), id }) => {
      if (!uuid.test(address)) throw new NotFound('No integration has this webhook address.');
      const signature = String(headers[webhookSignatureHeader] ?? '');
      await forwarded.run(address.toLowerCase(), { body, signature, requestId: id });
      return { status: 'ok' };
    },
  );
}
