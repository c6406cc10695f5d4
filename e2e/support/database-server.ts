import { once } from "node:events";
import { buildIfOutdated } from "#lib/build/prepare.ts";
import { openTestServer } from "./database.ts";
import { findFastFolder } from "./fast-folder.ts";
import { offerSharedServices } from "./shared-services.ts";

/**
 * A program that starts the database server of a test run, after building the service if its argument is `build`. It
 * writes one line with its URL and that of the shared services. It ends and removes everything when its input ends,
 * which also happens when its parent is killed.
 */

if (process.argv.includes("build")) await buildIfOutdated((line) => console.error(line));
const server = await openTestServer(findFastFolder());
const services = await offerSharedServices(server.url);
console.log(`${server.url} ${services.url}`);
// An interrupt reaches the whole process group; running tests need the database until they have ended.
process.on("SIGINT", () => {});
process.stdin.resume();
await once(process.stdin, "close");
await services.close();
await server.close();
process.exit(0);
