import { withClient } from './pool.ts';

/**
 * Makes a server state an older version to those who connect with the returned address. Servers
 * that are too old are not among those the tests install.
 *
 * @param version `server_version_num`: 100023 for 10.23
 */
export async function pretendOldServer(address: string, version: number): Promise<string> {
  await withClient({ connectionString: address }, (client) =>
    client.query(`create schema old_server;
      create function old_server.current_setting(name text) returns text language sql as $$
        select case name when 'server_version_num' then '${version}' else pg_catalog.current_setting(name) end $$`),
  );
  const url = new URL(address);
  url.searchParams.set('options', '-c search_path=old_server,pg_catalog,public');
  return url.href;
}
