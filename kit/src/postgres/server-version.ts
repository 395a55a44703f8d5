import type pg from 'pg';

/** The oldest supported major versions. */
export const oldestVersions = { dataSource: 11, portalDatabase: 13 } as const;

/**
 * Returns why a server cannot be used, as the rest of a sentence that begins with its name; null
 * when its version is supported.
 *
 * @param version `server_version_num`: 110022 for 11.22
 * @param oldest the oldest supported major version
 */
export function explainOldVersion(version: number, oldest: number): string | null {
  if (version >= oldest * 10_000) return null;
  const major = Math.floor(version / 10_000);
  // Until 9.6, a major version had two parts.
  const name = major >= 10 ? `${major}.${version % 10_000}` : `${major}.${Math.floor(version / 100) % 100}`;
  return `runs PostgreSQL ${name}, but PostgreSQL ${oldest} is the oldest supported version; upgrade the server`;
}

/** Asks the server for its version; see `explainOldVersion`. */
export async function findVersionProblem(db: Pick<pg.ClientBase, 'query'>, oldest: number): Promise<string | null> {
  const { rows } = await db.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return explainOldVersion(rows[0]?.version ?? 0, oldest);
}
