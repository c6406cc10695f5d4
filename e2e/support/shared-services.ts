import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { createOrReadSecret } from "#lib/crypto/secrets.ts";
import { cloneDatabase, type TestDatabase } from "./database.ts";
import { startProcess, type RunningProcess } from "./process.ts";
import { removeFolder } from "./remove-folder.ts";

/**
 * A service and its database for each worker of a test run, for files that need neither an empty database nor their own
 * settings. A worker ends with its file, so the services belong to the process of the database server, which starts a
 * worker's service at the first request, over HTTP.
 */

export type SharedServiceAddress = { url: string; port: number; databaseUrl: string; dataDir: string };

/**
 * How long a request waits for a connection to the database, in milliseconds: tests send dozens at once, and the service
 * has four.
 */
export const DATABASE_ACQUIRE_MS = "60000";

type SharedService = { address: SharedServiceAddress; running: RunningProcess; database: TestDatabase };

/**
 * Serves the addresses of shared services over HTTP. @returns the URL that provides services, and a function that ends
 * them
 */
export async function offerSharedServices(
  serverUrl: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const services = new Map<string, Promise<SharedService>>();
  const server = http.createServer((request, response) => {
    const worker = request.url ?? "";
    const service = services.get(worker) ?? startSharedService(serverUrl);
    services.set(worker, service);
    // A kept connection could end just while a worker sends its next request.
    response.setHeader("Connection", "close");
    service.then(
      ({ address }) => response.end(JSON.stringify(address)),
      (error: unknown) => {
        // The worker's next file tries again.
        services.delete(worker);
        response.writeHead(500).end(String(error));
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    await Promise.allSettled([...services.values()].map(async (service) => stopSharedService(await service)));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function startSharedService(serverUrl: string): Promise<SharedService> {
  const database = await cloneDatabase(serverUrl);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  createOrReadSecret({ dataDir }, "data");
  const settings = {
    DATABASE_URL: database.url,
    HEED_DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
    DATABASE_ACQUIRE_MS,
  };
  const running = await startProcess(settings);
  const { url, port } = running;
  return { address: { url, port, databaseUrl: database.url, dataDir }, running, database };
}

async function stopSharedService({ address, running, database }: SharedService): Promise<void> {
  await running.stop();
  await database.close();
  removeFolder(address.dataDir);
}

/** Returns the service of this worker, which no other worker uses until its file ends. */
export async function findSharedService(offered: string): Promise<SharedServiceAddress> {
  const response = await fetch(`${offered}/${process.env.VITEST_POOL_ID}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as SharedServiceAddress;
}
