import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { z } from 'zod';
import { type ExternalFetchLimits, fetchExternal } from '../fetch-external.ts';
import { type CallOrder, CallQueue, type CallQueueOptions } from './call-queue.ts';
import { errorResponse, pagerDutyHeaders } from './wire.ts';

export interface PagerDutyCallsOptions extends Partial<ExternalFetchLimits>, CallQueueOptions {
  /** `https://api.pagerduty.com`, or the address of the European service. */
  readonly baseUrl: string;
  readonly token: Secret;
}

interface Call<Shape extends z.ZodType> extends CallOrder {
  /** The subject of messages: "PagerDuty's schedule of Health" */
  readonly what: string;
  readonly path: string;
  readonly shape: Shape;
}

/** Makes the calls with one token. */
export class PagerDutyCalls {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly #options: PagerDutyCallsOptions;
  readonly #queue: CallQueue;

  constructor(options: PagerDutyCallsOptions) {
    this.now = options.now ?? Date.now;
    this.#options = options;
    this.#queue = new CallQueue(options);
  }

  /** Makes a call when it is its turn. Throws Unreachable, or RetryLater if it was not made. */
  get<Shape extends z.ZodType>({ urgency, rank, ...call }: Call<Shape>): Promise<z.output<Shape>> {
    return this.#queue.add({ urgency, rank }, () => this.#fetch(call));
  }

  async #fetch<Shape extends z.ZodType>({
    what,
    path,
    shape,
  }: Pick<Call<Shape>, 'what' | 'path' | 'shape'>): Promise<z.output<Shape>> {
    const { baseUrl, token, timeoutMs = 15_000, maxBytes = 10 * 1024 * 1024 } = this.#options;
    const { body } = await fetchExternal(
      what,
      baseUrl.replace(/\/+$/, '') + path,
      { ...pagerDutyHeaders, authorization: `Token token=${token.reveal()}` },
      { timeoutMs, maxBytes, readReason: (text) => readReason(text, token) },
    );
    const parsed = shape.safeParse(parseJson(body?.toString('utf8') ?? ''));
    if (parsed.success) return parsed.data;
    throw new Unreachable(
      `${what} cannot be read: ${parsed.error.issues[0]?.path.join('.') || 'the response'} is not as expected.`,
    );
  }
}

/** Reads PagerDuty's own reason. A text that repeats the token is not shown. */
function readReason(body: string, token: Secret): string | undefined {
  const { data } = errorResponse.safeParse(parseJson(body));
  if (!data) return undefined;
  const { message, errors } = data.error;
  const details = Array.isArray(errors)
    ? errors
    : Object.entries(errors ?? {}).map(([field, reasons]) => `${field}: ${reasons.join(', ')}`);
  const reason = [message, ...details].filter(Boolean).join(' · ');
  return reason.includes(token.reveal()) ? undefined : reason;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
