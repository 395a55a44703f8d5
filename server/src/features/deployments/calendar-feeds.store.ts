import type { Pool } from '@portal/kit/postgres/pool';

export interface FeedOwner {
  readonly environment: string;
  readonly username: string;
}

export interface FeedTimes {
  readonly createdAt: Date;
  readonly lastReadAt: Date | null;
}

/** Ends the feed its owner had. */
export async function addFeed(pool: Pool, { environment, username }: FeedOwner, secretHash: Buffer): Promise<Date> {
  const { rows } = await pool.query<{ createdAt: Date }>(
    `INSERT INTO calendar_feeds (environment, username, secret_hash, created_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (environment, username) DO UPDATE
       SET secret_hash = excluded.secret_hash, created_at = excluded.created_at, last_read_at = NULL
     RETURNING created_at AS "createdAt"`,
    [environment, username, secretHash],
  );
  return rows[0]?.createdAt ?? new Date();
}

export async function findFeed(pool: Pool, { environment, username }: FeedOwner): Promise<FeedTimes | undefined> {
  const { rows } = await pool.query<FeedTimes>(
    `SELECT created_at AS "createdAt", last_read_at AS "lastReadAt" FROM calendar_feeds
     WHERE environment = $1 AND username = $2`,
    [environment, username],
  );
  return rows[0];
}

/** Whether there was one. */
export async function removeFeed(pool: Pool, { environment, username }: FeedOwner): Promise<boolean> {
  const { rowCount } = await pool.query('DELETE FROM calendar_feeds WHERE environment = $1 AND username = $2', [
    environment,
    username,
  ]);
  return rowCount === 1;
}

/** Whose feed this is; notes that it was read. */
export async function readFeedOwner(pool: Pool, secretHash: Buffer): Promise<FeedOwner | undefined> {
  const { rows } = await pool.query<FeedOwner>(
    'UPDATE calendar_feeds SET last_read_at = now() WHERE secret_hash = $1 RETURNING environment, username',
    [secretHash],
  );
  return rows[0];
}
