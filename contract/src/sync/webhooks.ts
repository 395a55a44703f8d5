/**
 * Journey's webhooks. They only report to an integration that Journey's op-log has something new:
 * nothing in them is used.
 */
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { light } from '../rules.ts';
import { appIdSchema } from './config.ts';

/** The HMAC-SHA256 of the body with the webhook's secret, in hex or base64. */
export const webhookSignatureHeader = 'x-journey-signature';

/** The largest body, in bytes. It contains a whole object of Journey. */
export const maxWebhookBytes = 256 * 1024;

export const maxWebhookSecrets = 50;

/** Shorter ones could be guessed. They were accepted before; those that are stored still count. */
export const minWebhookSecretLength = 16;

/** The server forwards webhooks in batches, whose bodies have at most about `maxWebhookBytes`. */
export const forwardedWebhooksSchema = z.array(
  z.object({ address: z.string(), signature: z.string(), body: z.string() }),
);

/** The sync service's verdict on each webhook, in their order; null for one that is accepted. */
export const webhookVerdictsSchema = z.array(z.nullable(z.object({ status: z.number(), message: z.string() })));

const millis = z.nullable(z.number());

const webhooksSchema = z.object({
  /** Where Journey is to send them, below the portal's address. */
  path: z.string(),
  /** How many secrets are stored. Without one, webhooks are refused. */
  secrets: z.number(),
  /** How many of them have fewer characters than new ones must have. */
  shortSecrets: z.number(),
  /** When the last one with a valid signature arrived. */
  lastReceived: millis,
  /** When the op-log had a change that no webhook had announced; null if all were since then. */
  missedAt: millis,
});
export type Webhooks = z.infer<typeof webhooksSchema>;

export const getWebhooks = endpoint({
  method: 'GET',
  path: '/webhooks/:appId',
  summary: "Get the address for Journey's webhooks, and whether they arrive",
  may: 'sync.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: null,
  response: webhooksSchema,
});

/** Replaces all secrets. Each webhook of a deployment has its own. */
export const saveWebhookSecrets = endpoint({
  method: 'POST',
  path: '/save-webhook-secrets',
  summary: "Replace the secrets of Journey's webhooks; without any, webhooks are refused",
  may: 'sync.change',
  about: { app: 'appId' },
  recorded: { action: 'sync.save-webhook-secrets', description: 'Webhook secrets replaced' },
  cost: light(),
  request: z.object({
    appId: appIdSchema,
    secrets: z
      .array(z.string().check(z.minLength(minWebhookSecretLength), z.maxLength(200)))
      .check(z.maxLength(maxWebhookSecrets)),
  }),
  response: webhooksSchema,
});
