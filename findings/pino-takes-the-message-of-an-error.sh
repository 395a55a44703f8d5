#!/usr/bin/env bash
# pino 10.4.0: a line that is logged with an error and no message of its own takes the error's
# message as `msg`, and takes it before the `err` serializer. A serializer that hides a part of the
# message does so in `err.message` only. To change both, use the hook `logMethod` or `streamWrite`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-fund --no-audit pino@10.4.0
cat >line.mjs <<'JS'
import pino from 'pino';
const log = pino({ base: null, timestamp: false, serializers: { err: ({ message }) => ({ message: message.replace('blue', '***') }) } });
log.error(new Error('the sky is blue'));
log.error({ err: new Error('the sky is blue') }, 'a message of its own');
JS
seen=$(node line.mjs)
expected='{"level":50,"err":{"message":"the sky is ***"},"msg":"the sky is blue"}
{"level":50,"err":{"message":"the sky is ***"},"msg":"a message of its own"}'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
