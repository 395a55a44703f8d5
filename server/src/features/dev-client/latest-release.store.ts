import type { Pool } from '@portal/kit/postgres/pool';
import type { Release } from '@portal/platforms/releases/client';

export interface KnownRelease extends Release {
  /** When the repository was read. */
  readonly readAt: Date;
}

/** Returns the last release read from this metadata URL; undefined if it was never read. */
export async function findKnownRelease(pool: Pool, metadataUrl: string): Promise<KnownRelease | undefined> {
  const { rows } = await pool.query<KnownRelease>(
    `select version, client_sha256 as "clientSha256", no_ui_client_sha256 as "noUiClientSha256",
       client_sha1 as "clientSha1", no_ui_client_sha1 as "noUiClientSha1", read_at as "readAt"
     from latest_release where metadata_url = $1`,
    [metadataUrl],
  );
  return rows[0];
}

/** Saves the release, unless another node has saved a newer reading. */
export async function saveKnownRelease(pool: Pool, metadataUrl: string, release: KnownRelease): Promise<void> {
  const { version, clientSha256, noUiClientSha256, clientSha1, noUiClientSha1, readAt } = release;
  await pool.query(
    `insert into latest_release as known
       (metadata_url, version, client_sha256, no_ui_client_sha256, client_sha1, no_ui_client_sha1, read_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (metadata_url) do update set version = excluded.version, client_sha256 = excluded.client_sha256,
       no_ui_client_sha256 = excluded.no_ui_client_sha256, client_sha1 = excluded.client_sha1,
       no_ui_client_sha1 = excluded.no_ui_client_sha1, read_at = excluded.read_at
       where known.read_at < excluded.read_at`,
    [metadataUrl, version, clientSha256, noUiClientSha256, clientSha1, noUiClientSha1, readAt],
  );
}
