/**
 * The address for Journey's webhooks of each integration, and their secrets, which are encrypted.
 */
import type { Encryption } from '@portal/kit/encryption';
import type { Pool } from '@portal/kit/postgres/pool';
import { Invalid, NotFound } from '@portal/kit/problems';
import { z } from 'zod';
import type { StoredIntegration } from '../integration/integration.ts';

export interface WebhookReceiver {
  readonly id: string;
  readonly appId: string;
  readonly address: string;
  readonly secrets: readonly string[];
}

type IntegrationKey = Pick<StoredIntegration, 'id' | 'environment' | 'appId'>;

interface Row {
  readonly id: string;
  readonly environment: string;
  readonly appId: string;
  readonly address: string;
  readonly secrets: Buffer | null;
}

const columns = 'id, environment, app_id as "appId", webhook_address as address, webhook_secrets as secrets';

const listSchema = z.array(z.string());

export class WebhookReceivers {
  readonly #pool: Pool;
  readonly #encryption: Encryption;

  constructor(pool: Pool, encryption: Encryption) {
    this.#pool = pool;
    this.#encryption = encryption;
  }

  /**
   * Returns the receivers by their addresses. Instead of one whose secrets were encrypted with
   * another key, returns the problem.
   */
  async findByAddresses(addresses: readonly string[]): Promise<ReadonlyMap<string, WebhookReceiver | Invalid>> {
    const { rows } = await this.#pool.query<Row>(
      `select ${columns} from sync.integration where webhook_address = any($1::uuid[])`,
      [addresses],
    );
    return new Map(rows.map((row) => [row.address, this.#openOrExplain(row)]));
  }

  /** Throws NotFound when the integration was deleted, Invalid when another key is used. */
  async read({ id, appId }: StoredIntegration): Promise<WebhookReceiver> {
    const { rows } = await this.#pool.query<Row>(`select ${columns} from sync.integration where id = $1`, [id]);
    if (!rows[0]) throw new NotFound(`The integration for ${appId} no longer exists.`);
    return this.#open(rows[0]);
  }

  /** Replaces the secrets. Webhooks that were signed with others are refused from now on. */
  async saveSecrets(integration: IntegrationKey, secrets: readonly string[]): Promise<void> {
    const sealed =
      secrets.length === 0 ? null : this.#encryption.encrypt(JSON.stringify(secrets), toContext(integration));
    await this.#pool.query('update sync.integration set webhook_secrets = $2 where id = $1', [integration.id, sealed]);
  }

  #openOrExplain(row: Row): WebhookReceiver | Invalid {
    try {
      return this.#open(row);
    } catch (error) {
      if (error instanceof Invalid) return error;
      throw error;
    }
  }

  #open({ secrets, ...row }: Row): WebhookReceiver {
    if (secrets === null) return { ...row, secrets: [] };
    try {
      return { ...row, secrets: listSchema.parse(JSON.parse(this.#encryption.decrypt(secrets, toContext(row)))) };
    } catch (error) {
      throw new Invalid(
        `The webhook secrets of ${row.appId} were encrypted with a different key and cannot be read. Enter them again.`,
        { cause: error },
      );
    }
  }
}

function toContext({ environment, appId }: Omit<IntegrationKey, 'id'>): string {
  return `webhooks ${JSON.stringify([environment, appId])}`;
}
