import { Client } from "#e2e/support/client.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { sendReport } from "./load.ts";
import type { Scene } from "./scenario.ts";

/**
 * Opens a live stream. @returns a check afterwards: the stream tells of a new report, or requests a reload if it may have
 * missed one
 */
export async function startStream(scene: Scene): Promise<() => Promise<void>> {
  const { stage, ledger } = scene;
  const client = new Client(stage.url, { countRows: async () => ({}) }, stage.cast.omar.cookie);
  const stream = await EventStream.open(client);
  return async () => {
    const heard = stream.events.length;
    await sendReport(scene, { files: false });
    const { id } = ledger.reports.at(-1) ?? {};
    ledger.expect(id !== undefined, "a report is not taken afterwards");
    const isTold = () =>
      stream.events
        .slice(heard)
        .some(({ event, data }) => event === "reload" || (id !== undefined && data.incidentId === id));
    const told = await waitUntil("news of it", isTold).catch(() => false);
    ledger.expect(told, "the live stream that was open does not tell of a new report");
    ledger.expect(!stream.ended, "the live stream has ended");
    stream.close();
  };
}
