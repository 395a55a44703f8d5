#!/usr/bin/env bash
# undici 7.30.0, EnvHttpProxyAgent: where only HTTP_PROXY is set, https addresses go through that
# proxy, too. curl, wget and python's requests connect to them directly in that case. It also opens
# a tunnel (CONNECT to port 80) for plain http addresses, where the others send the whole address in
# a GET: a proxy that allows CONNECT to port 443 only, which is Squid's usual configuration, refuses
# every one of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.0 >/dev/null
cat >ask.mjs <<'JS'
import { createServer } from 'node:http';
import { EnvHttpProxyAgent, fetch } from 'undici';
let asked = 'nothing';
const proxy = createServer((request, response) => {
  asked = `${request.method} ${request.url}`;
  response.end();
});
proxy.on('connect', (request, socket) => {
  asked = `CONNECT ${request.url}`;
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
});
await new Promise((listening) => proxy.listen(0, '127.0.0.1', listening));
const httpProxy = `http://127.0.0.1:${proxy.address().port}`;
for (const url of ['http://reports.example/', 'https://reports.example/']) {
  asked = 'nothing';
  await fetch(url, { dispatcher: new EnvHttpProxyAgent({ httpProxy }) }).catch(() => undefined);
  console.log(`${url}: the proxy is asked ${asked}`);
}
process.exit();
JS
seen=$(env -u HTTPS_PROXY -u https_proxy -u HTTP_PROXY -u http_proxy -u NO_PROXY -u no_proxy node ask.mjs)
expected='http://reports.example/: the proxy is asked CONNECT reports.example:80
https://reports.example/: the proxy is asked CONNECT reports.example:443'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
