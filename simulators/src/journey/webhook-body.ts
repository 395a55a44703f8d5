import { createHash } from 'node:crypto';
import type { ObjectView } from './object-view.ts';
import type { LogEntry } from './write-plan.ts';

interface Addressee {
  /** The name of the webhook. */
  readonly event: string;
  /** The base URL of the backend. */
  readonly server: string;
  /** The id of the deployment. */
  readonly app: string;
}

export function createWebhookBody(
  { event, server, app }: Addressee,
  { sequence, operation }: LogEntry,
  object: ObjectView,
): Buffer {
  const head = JSON.stringify({ event, server, app, app_id: toAppId(app), account_id: app }).slice(0, -1);
  // Written by hand because JSON.stringify cannot write numbers beyond 2^53.
  return Buffer.from(`${head},"sequence":${sequence},"operation":"${operation}","object":${JSON.stringify(object)}}`);
}

/** An app has another id than its deployments. */
function toAppId(deployment: string): string {
  return createHash('sha256').update(`app of ${deployment}`).digest('hex').slice(0, 24);
}
