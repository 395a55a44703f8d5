import { withClient } from './pool.ts';

/**
 * Makes a server state an older version in this database, whatever a session's search path. Servers
 * that are too old are not among those the tests install.
 *
 * @param address of a database of the test's own, as a superuser
 * @param version `server_version_num`: 100023 for 10.23
 */
export async function pretendOldServer(address: string, version: number): Promise<string> {
  await withClient({ connectionString: address }, (client) =>
    client.query(`set allow_system_table_mods = on;
      alter function pg_catalog.current_setting(text) rename to shown_setting;
      create function pg_catalog.current_setting(text) returns text language sql stable strict as $$
        select case $1 when 'server_version_num' then '${version}' else pg_catalog.shown_setting($1) end $$`),
  );
  return address;
}
