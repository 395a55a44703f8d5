/**
 * The webhooks of one deployment, as its administrators set them up: each must be enabled and have
 * a URL. Deliveries never delay or fail a write. They run one at a time, in the order of the
 * writes. Conditions are checked and objects are rendered when they are delivered.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@portal/kit/logger';
import { createFaults, type Faults } from '../kit/faults.ts';
import { invalidRequest } from './api-problem.ts';
import type { Webhook } from './data-model.ts';
import type { Deployment } from './deployment.ts';
import { isRecord } from './json.ts';
import { type ObjectView, viewObjects } from './object-view.ts';
import { createWebhookBody } from './webhook-body.ts';
import type { SignatureEncoding, WebhookSender } from './webhook-sender.ts';
import type { LogEntry } from './write-plan.ts';

/**
 * - `lost`: is not sent
 * - `twice`: is sent twice in a row
 * - `late`: is sent after `delayMs`, and those behind it wait
 * - `out-of-order`: is sent after the next one, which has no other fault
 * - `wrongly-signed`: both signatures are those of another text
 */
export const webhookFaultModes = ['lost', 'twice', 'late', 'out-of-order', 'wrongly-signed'] as const;

/** `path` matches the webhook's name. A delivery counts once, whatever its number of attempts. */
type WebhookFaults = Faults<(typeof webhookFaultModes)[number]>;

/** Omitted settings stay as they are. */
interface WebhookSettings {
  readonly url?: string | undefined;
  readonly isEnabled?: boolean | undefined;
  /** Default: hex. */
  readonly encoding?: SignatureEncoding | undefined;
}

interface WebhookState {
  readonly name: string;
  readonly model: string;
  readonly type: Webhook['type'];
  readonly url: string | undefined;
  readonly isEnabled: boolean;
  readonly encoding: SignatureEncoding;
  /** The text whose bytes are the key of the HMAC; the same until the simulator stops. */
  readonly secret: string;
}

export interface Webhooks {
  /** Returns the webhooks of the current data model. */
  list(): readonly WebhookState[];
  /** Throws INVALID_API_REQUEST when the data model has no such webhook. */
  set(name: string, settings: WebhookSettings): WebhookState;
  readonly faults: WebhookFaults;
  /** Aborts the current delivery and discards those that wait. */
  stop(): Promise<void>;
}

interface WebhookOptions {
  readonly deployment: Deployment;
  /** The base URL of the backend. */
  readonly baseUrl: string;
  readonly sender: WebhookSender;
  readonly log: Logger | undefined;
}

interface Hook {
  url: string | undefined;
  isEnabled: boolean;
  encoding: SignatureEncoding;
  readonly secret: string;
  /** The ids of the objects that were reported as ready. */
  readonly readyObjects: Set<string>;
}

interface Delivery {
  readonly webhook: Webhook;
  readonly hook: Hook;
  readonly url: string;
  readonly entry: LogEntry;
}

/** When more deliveries wait, the oldest are dropped. Our choice. */
const maxWaiting = 10_000;

export function createWebhooks({ deployment, baseUrl, sender, log }: WebhookOptions): Webhooks {
  const faults: WebhookFaults = createFaults();
  const hooks = new Map<string, Hook>();
  const stopped = new AbortController();
  let waiting: Delivery[] = [];
  /** Is sent after the next delivery. */
  let swapped: { readonly hook: Hook; readonly send: () => Promise<void> } | undefined;
  let worker: Promise<void> | undefined;
  // Checked first, so that webhooks cost a write nothing until one is enabled.
  let isAnyEnabled = false;

  const getHook = (name: string): Hook => {
    const known = hooks.get(name);
    if (known !== undefined) return known;
    const secret = randomBytes(32).toString('hex');
    const hook: Hook = { url: undefined, isEnabled: false, encoding: 'hex', secret, readyObjects: new Set() };
    hooks.set(name, hook);
    return hook;
  };

  const list = (): readonly WebhookState[] =>
    [...deployment.dataModel().models.values()].flatMap((model) =>
      model.webhooks.map(({ name, type }) => ({ name, model: model.name, type, ...toSettings(getHook(name)) })),
    );

  deployment.setWriteListener((entries) => {
    if (!isAnyEnabled) return;
    const { models } = deployment.dataModel();
    for (const entry of entries) {
      if (entry.operation === 'delete') continue;
      for (const webhook of models.get(entry.object.type)?.webhooks ?? []) {
        const hook = getHook(webhook.name);
        if (hook.isEnabled && hook.url !== undefined) waiting.push({ webhook, hook, url: hook.url, entry });
      }
    }
    if (waiting.length > maxWaiting) waiting.splice(0, waiting.length - maxWaiting);
    if (waiting.length > 0) worker ??= deliverAll();
  });

  const deliverAll = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await deliver(next);
      } catch (error) {
        const webhook = next.webhook.name;
        if (!stopped.signal.aborted) log?.warn({ err: error, webhook }, 'a webhook could not be sent');
      }
    }
    worker = undefined;
  };

  const deliver = async ({ webhook, hook, url, entry }: Delivery) => {
    const { id: app } = deployment;
    const [object] = await viewObjects(deployment, [entry.object], { url: `${baseUrl}/api/v4/${app}` });
    if (object === undefined || !isComplete(object, webhook)) return;
    if (webhook.type === 'ready') {
      if (hook.readyObjects.has(entry.object.id)) return;
      hook.readyObjects.add(entry.object.id);
    }
    const fault = swapped === undefined ? faults.consume('POST', webhook.name) : undefined;
    const { secret, encoding } = hook;
    const body = createWebhookBody({ event: webhook.name, server: baseUrl, app }, entry, object);
    const isWronglySigned = fault?.mode === 'wrongly-signed';
    const send = async () => {
      const status = await sender.send({ url, body, secret, encoding, isWronglySigned }, stopped.signal);
      const isReceived = status !== undefined && status < 300;
      if (!isReceived) log?.warn({ webhook: webhook.name, status }, 'a webhook was not received');
    };
    if (fault?.mode === 'lost') return;
    if (fault?.mode === 'out-of-order') {
      swapped = { hook, send };
      return;
    }
    if (fault?.mode === 'late') await wait(fault.delayMs ?? 0, undefined, { signal: stopped.signal });
    await send();
    if (fault?.mode === 'twice') await send();
    const previous = swapped;
    swapped = undefined;
    await previous?.send();
  };

  return {
    list,
    set(name, { url, isEnabled, encoding }) {
      const listed = list().find((one) => one.name === name);
      if (listed === undefined) throw invalidRequest(`There is no webhook '${name}'.`);
      const hook = getHook(name);
      hook.url = url ?? hook.url;
      hook.isEnabled = isEnabled ?? hook.isEnabled;
      hook.encoding = encoding ?? hook.encoding;
      if (!hook.isEnabled) {
        waiting = waiting.filter((delivery) => delivery.hook !== hook);
        if (swapped?.hook === hook) swapped = undefined;
      }
      isAnyEnabled = [...hooks.values()].some((one) => one.isEnabled);
      return { ...listed, ...toSettings(hook) };
    },
    faults,
    async stop() {
      isAnyEnabled = false;
      waiting = [];
      stopped.abort();
      await worker;
    },
  };
}

function toSettings({ url, isEnabled, encoding, secret }: Hook) {
  return { url, isEnabled, encoding, secret };
}

function isComplete(object: ObjectView, { conditions }: Webhook): boolean {
  return conditions.every(({ key, isUploaded }) => {
    const value = object[key] ?? null;
    return isUploaded ? isRecord(value) && value.state === 'uploaded' : value !== null;
  });
}
