import type { App } from '@portal/contract/apps';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Caller } from '../session/caller.ts';
import {
  type CheckResults,
  type CheckSubject,
  readChecks,
  readFunctionNames,
  readOldestAges,
  type StoredSource,
  saveOpenPage,
  saveResult,
  saveViewer,
} from './app-checks.store.ts';
import { platformSource } from './platform-source.ts';

/**
 * Provides what was last read of each app. The AppChecker reads it in the background for all users:
 * no page that asks reaches a platform or a data source.
 */
export class AppChecks {
  readonly #pool: Pool;
  readonly #logger: Logger;

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
  }

  /**
   * Returns what is known of these apps, which must be the caller's, and requests that they are
   * checked for the next two minutes while the session lasts.
   */
  async view<Subject extends CheckSubject>(
    { environment: { name: environment }, sessionId }: Caller,
    subject: Subject,
    apps: readonly string[],
  ): Promise<StoredSource<Subject>[]> {
    const area = { environment, subject };
    if (sessionId !== null) {
      await this.#attempt(() => saveViewer(this.#pool, sessionId, area, apps), 'could not save the viewer of apps');
    }
    return readChecks(this.#pool, area, apps);
  }

  /** Returns the names of the functions that have run in apps with these schemas. */
  readFunctionNames({ environment }: Caller, schemas: readonly string[]): ReturnType<typeof readFunctionNames> {
    return readFunctionNames(this.#pool, environment.name, schemas);
  }

  /**
   * Requests that an app that home pages show is checked at once, and each ten seconds, while the
   * session has a page of the app open.
   */
  async openPage({ environment, sessionId }: Caller, { id, schemaName }: App): Promise<void> {
    if (sessionId === null) return;
    const apps = { configuration: id, functions: schemaName };
    await this.#attempt(
      () => saveOpenPage(this.#pool, environment.name, apps),
      'could not save the open page of an app',
    );
  }

  /** Stores a configuration that was just read for another purpose. */
  async noteConfiguration(
    { environment: { name: environment } }: Caller,
    appId: string,
    { disabled, locked }: CheckResults['configuration'],
  ): Promise<void> {
    const key = { environment, subject: 'configuration', source: platformSource } as const;
    await this.#attempt(
      () => saveResult(this.#pool, key, appId, { disabled, locked }),
      'could not store the configuration of an app',
    );
  }

  /** Returns the age of the oldest result of a viewed app by environment, in seconds. */
  readOldestAges(): ReturnType<typeof readOldestAges> {
    return readOldestAges(this.#pool);
  }

  /** The request does not fail with it: a database that accepts no changes can still be read. */
  async #attempt(change: () => Promise<void>, failure: string): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#logger.warn({ err: error }, failure);
    }
  }
}
