/**
 * Signs and sends webhooks. There is one per simulator, because the platform signs for all its
 * deployments with the same RSA key.
 */
import { createHmac, generateKeyPair, sign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';

/** How the HMAC is encoded. Public sources disagree on what Journey uses. */
export type SignatureEncoding = 'hex' | 'base64';

interface SignedCall {
  readonly url: string;
  readonly body: Buffer;
  readonly secret: string;
  readonly encoding: SignatureEncoding;
  readonly isWronglySigned: boolean;
}

export interface WebhookSender {
  /** Returns the key that verifies the RSA signatures, as PEM. */
  publicKey(): Promise<string>;
  /**
   * Returns the status of the last attempt, or undefined when there was no response. Throws when
   * the signal aborts.
   */
  send(call: SignedCall, signal: AbortSignal): Promise<number | undefined>;
  stop(): Promise<void>;
}

/**
 * For connecting, and then for the response. Nothing about deliveries is public: this, the number
 * of attempts and the pauses are our choice.
 */
const timeoutMs = 10_000;
/** Before the second and the third attempt. */
const pausesMs = [100, 400];

const modulusLength = 2048;
const createKeys = () => promisify(generateKeyPair)('rsa', { modulusLength });

export function createWebhookSender(): WebhookSender {
  const dispatcher = new Agent({ connectTimeout: timeoutMs, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  // Created at the first use, because it takes longer than everything else at a start.
  let keys: ReturnType<typeof createKeys> | undefined;
  const getKeys = () => {
    keys ??= createKeys();
    return keys;
  };
  return {
    async publicKey() {
      const { publicKey } = await getKeys();
      return publicKey.export({ type: 'spki', format: 'pem' }).toString();
    },
    async send({ url, body, secret, encoding, isWronglySigned }, signal) {
      const { privateKey } = await getKeys();
      const signed = isWronglySigned ? Buffer.from('another text') : body;
      const headers = {
        'content-type': 'application/json',
        'X-Journey-Signature': createHmac('sha256', secret).update(signed).digest(encoding),
        'X-Journey-Signature-Rsa-Sha256': sign('sha256', signed, privateKey).toString('base64'),
      };
      const attempt = async () => {
        try {
          const response = await request(url, { method: 'POST', headers, body, signal, dispatcher });
          await response.body.dump();
          return response.statusCode;
        } catch {
          signal.throwIfAborted();
          return undefined;
        }
      };
      let status = await attempt();
      for (const pauseMs of pausesMs) {
        if (status !== undefined && status < 500) break;
        await wait(pauseMs, undefined, { signal });
        status = await attempt();
      }
      return status;
    },
    stop: () => dispatcher.destroy(),
  };
}
