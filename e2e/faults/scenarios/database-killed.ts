import { waitUntil } from "#e2e/support/wait.ts";
import { formatMs } from "../ledger.ts";
import { startStream } from "../live-stream.ts";
import { startLoad } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";

/** Kills the embedded database, which the service has to restart. */
export const databaseKilled: Scenario = {
  name: "database-killed",
  title: "Embedded database killed (-9) under load, three times",
  async disturb(scene) {
    const { stage, ledger, short } = scene;
    const checkStream = await startStream(scene);
    const load = startLoad(scene, 8);
    const restarts = () => stage.output.split("The database server has ended").length - 1;
    for (let round = 0; round < (short ? 1 : 3); round += 1) {
      await load.work(3000, 8);
      process.kill(stage.postmaster ?? 0, "SIGKILL");
      const began = Date.now();
      load.slowDown();
      const isBack = async () => (await stage.health()) === 200;
      // The service may have restarted it before it is asked.
      await waitUntil("the database to go", async () => !(await isBack()) || restarts() > round);
      const seen = await checkSession(scene);
      ledger.expect(seen === 503 || (await isBack()), "a session is known while the database is away");
      await waitUntil("the database to come back", isBack);
      ledger.equal("session check afterwards", await checkSession(scene), 200);
      ledger.figure("From the kill until it is healthy again", formatMs(Date.now() - began));
    }
    await load.work(2000, 1);
    await load.stop();
    const [, afterStart = ""] = stage.output.split(/Heed is ready on \S+\n/);
    const plain = afterStart.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
    ledger.equal("lines of the log that aren't JSON", plain, []);
    ledger.expect(restarts() > 0, "the log doesn't name the restart");
    await checkStream();
  },
};

/** A signed-in person is recognized or the check is unavailable; they are never signed out. @returns the status */
async function checkSession({ stage, ledger }: Scene): Promise<number> {
  const { status, body, headers } = await stage.ask("GET", "/api/session", { as: stage.cast.omar });
  const isCertain =
    status === 200 ? body.authenticated === true : status === 503 && !("authenticated" in body);
  ledger.expect(isCertain, `the session check responds with ${status} ${JSON.stringify(body)}`);
  ledger.expect(!headers["set-cookie"], "the session check touches the cookie");
  return status;
}
