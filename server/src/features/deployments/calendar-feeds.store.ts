import type { Pool } from '@portal/kit/postgres/pool';

export interface FeedOwner {
  readonly environment: string;
  readonly username: string;
}

/** An owner whose feed is read. */
export interface FeedReader extends FeedOwner {
  /** Whether the platform accepted the owner's credentials recently. */
  readonly isConfirmed: boolean;
}

export interface FeedTimes {
  readonly createdAt: Date;
  readonly lastReadAt: Date | null;
}

/** How long a feed is served after the platform last accepted its owner's credentials. */
const confirmedHours = 12;

/** Adds a feed, replacing the owner's previous one. */
export async function addFeed(pool: Pool, { environment, username }: FeedOwner, secretHash: Buffer): Promise<Date> {
  const { rows } = await pool.query<{ createdAt: Date }>(
    `insert into calendar_feeds (environment, username, secret_hash, created_at) values ($1, $2, $3, now())
     on conflict (environment, username) do update
       set secret_hash = excluded.secret_hash, created_at = excluded.created_at, owner_checked_at = excluded.created_at,
           last_read_at = null
     returning created_at as "createdAt"`,
    [environment, username, secretHash],
  );
  return rows[0]?.createdAt ?? new Date();
}

export async function findFeed(pool: Pool, { environment, username }: FeedOwner): Promise<FeedTimes | undefined> {
  const { rows } = await pool.query<FeedTimes>(
    `select created_at as "createdAt", last_read_at as "lastReadAt" from calendar_feeds
     where environment = $1 and username = $2`,
    [environment, username],
  );
  return rows[0];
}

/** Returns whether a feed was removed. */
export async function removeFeed(pool: Pool, { environment, username }: FeedOwner): Promise<boolean> {
  const { rowCount } = await pool.query('delete from calendar_feeds where environment = $1 and username = $2', [
    environment,
    username,
  ]);
  return rowCount === 1;
}

/** Records, to within five minutes, that the platform accepts the owner's credentials. */
export async function confirmFeedOwner(pool: Pool, { environment, username }: FeedOwner): Promise<void> {
  await pool.query(
    `update calendar_feeds set owner_checked_at = now()
     where environment = $1 and username = $2 and owner_checked_at < now() - interval '5 minutes'`,
    [environment, username],
  );
}

/** Returns the feed's owner and records the time of the read. */
export async function readFeedOwner(pool: Pool, secretHash: Buffer): Promise<FeedReader | undefined> {
  const { rows } = await pool.query<FeedReader>(
    `update calendar_feeds set last_read_at = now() where secret_hash = $1
     returning environment, username, owner_checked_at > now() - make_interval(hours => $2) as "isConfirmed"`,
    [secretHash, confirmedHours],
  );
  return rows[0];
}
