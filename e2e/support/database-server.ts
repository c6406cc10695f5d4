import { once } from "node:events";
import { prepareBuild } from "#lib/build/prepare.ts";
import { openTestServer } from "./database.ts";
import { offerSharedServices } from "./shared-services.ts";

/**
 * A program: brings the production build up to date when told `build`, starts the database server of a test run,
 * writes its URL and that of the shared services as one line, and ends, leaving nothing behind, when its input ends;
 * that also happens when whoever started it is killed.
 */

if (process.argv.includes("build")) await prepareBuild((line) => console.error(line));
const server = await openTestServer();
const services = await offerSharedServices(server.url);
console.log(`${server.url} ${services.url}`);
// An interrupt reaches the whole group; the tests that still run need the database until they have ended.
process.on("SIGINT", () => {});
process.stdin.resume();
await once(process.stdin, "close");
await services.close();
await server.close();
process.exit(0);
