import { maxSettings } from '@portal/contract/session-choices';
import type { Pool } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';

interface User {
  readonly environment: { readonly name: string };
  readonly username: string;
}

/** Returns the settings of a user, as JSON by name. */
export async function readSettings(pool: Pool, { environment, username }: User): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; value: string }>(
    'select name, value from user_setting where environment = $1 and username = $2',
    [environment.name, username],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Saves a setting of a user. Beyond the limit, deletes those that were saved longest ago. */
export async function saveSetting(
  pool: Pool,
  { environment, username }: User,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<void> {
  await pool.query(
    `with saved as (
       insert into user_setting (environment, username, name, value) values ($1, $2, $3, $4)
       on conflict (environment, username, name) do update set value = excluded.value, updated_at = now())
     delete from user_setting where (environment, username) = ($1, $2) and name in (
       select name from user_setting where (environment, username) = ($1, $2) and name <> $3
       order by updated_at desc, name offset ${maxSettings - 1})`,
    [environment.name, username, toStorableText(name), toStorableText(value)],
  );
}
