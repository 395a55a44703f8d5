/**
 * Calls of monitoring systems, calendars and tools, which are served beside the API of the page.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { readinessSchema } from './problem.ts';
import { light } from './rules.ts';
import { maxWebhookBytes } from './sync/webhooks.ts';

/** `warnings` lists what operators should change although everything works. */
export const getHealth = endpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Check that the process is running',
  may: 'open',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ status: z.literal('ok'), warnings: z.optional(z.array(z.string())) }),
});

/** 503 if the server cannot handle requests. */
export const getReadiness = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Check that the server can handle requests, or why not',
  may: 'open',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.extend(readinessSchema, { ready: z.boolean(), reasons: z.array(z.string()) }),
});

export const getMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Get the metrics of the server in the format of Prometheus',
  may: 'session-or-token',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: 'text',
});

export const getOpenApi = endpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI document',
  may: 'open',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.record(z.string(), z.unknown()),
});

/** `file` is the secret of the feed, followed by `.ics`. */
export const readCalendarFeed = endpoint({
  method: 'GET',
  path: '/portal-backend/api/deployment/calendar/:file',
  summary: 'Read a calendar feed of deployments',
  may: 'secret-address',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: 'text',
});

/**
 * `address` is the secret of the integration. The body is any JSON, which is only read for its
 * signature.
 */
export const receiveWebhook = endpoint({
  method: 'POST',
  path: '/portal-backend/api/sync-webhook/:address',
  summary: "Have Journey's op-log read because it has something new",
  may: 'secret-address',
  about: {},
  recorded: false,
  cost: light({ maxBodyBytes: maxWebhookBytes }),
  request: null,
  response: z.object({ status: z.literal('ok') }),
});
