import type { Encryption } from '@portal/kit/encryption';
import type { Pool } from '@portal/kit/postgres/pool';
import { Invalid, NotFound } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import type { StoredIntegration } from '../integration/integration.ts';
import { readSealedPassword } from './integrations.store.ts';

/** Stores Journey's passwords encrypted, each bound to the app of its integration. */
export class Passwords {
  readonly #pool: Pool;
  readonly #encryption: Encryption;

  constructor(pool: Pool, encryption: Encryption) {
    this.#pool = pool;
    this.#encryption = encryption;
  }

  seal(password: Secret, integration: Pick<StoredIntegration, 'environment' | 'appId'>): Buffer {
    return this.#encryption.encrypt(password.reveal(), toEncryptionContext(integration));
  }

  /**
   * Throws NotFound when the integration was deleted, Invalid when its password was encrypted with
   * another key.
   */
  async read(integration: StoredIntegration): Promise<Secret> {
    const sealed = await readSealedPassword(this.#pool, integration.id);
    if (!sealed) throw new NotFound(`The integration for ${integration.appId} no longer exists.`);
    try {
      return new Secret(this.#encryption.decrypt(sealed, toEncryptionContext(integration)));
    } catch (error) {
      const subject = `The Journey password of ${integration.appId}`;
      throw new Invalid(`${subject} was encrypted with a different key and cannot be read. Enter it again.`, {
        cause: error,
      });
    }
  }
}

function toEncryptionContext({ environment, appId }: Pick<StoredIntegration, 'environment' | 'appId'>): string {
  return `sync ${JSON.stringify([environment, appId])}`;
}
