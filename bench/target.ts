import path from "node:path";

/**
 * `node bench/target.ts FOLDER SIZE...`: builds the checkout in FOLDER, starts a database server of its own, and seeds one
 * database for each number of reports, all with the code of that checkout. Prints a line of JSON, and runs until its
 * standard input ends.
 */

export type Target = { serverUrl: string; databases: { url: string; world: World }[] };
type World = import("./seed.ts").World;

const [folder = "", ...sizes] = process.argv.slice(2);
const load = (file: string) => import(path.join(folder, file));
const { buildIfOutdated } = (await load("lib/build/prepare.ts")) as typeof import("#lib/build/prepare.ts");
const { openTestServer, cloneDatabase } = (await load(
  "e2e/support/database.ts",
)) as typeof import("#e2e/support/database.ts");
const { seed, SIZES } = (await load("bench/seed.ts")) as typeof import("./seed.ts");

await buildIfOutdated(console.error);
const server = await openTestServer();
const target: Target = { serverUrl: server.url, databases: [] };
for (const size of SIZES.filter(({ incidents }) => sizes.includes(String(incidents)))) {
  const { url } = await cloneDatabase(server.url);
  target.databases.push({ url, world: await seed(url, size) });
}
console.log(JSON.stringify(target));
for await (const _ of process.stdin);
await server.close();
