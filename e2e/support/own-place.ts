import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createOrReadSecret } from "#lib/crypto/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { removeFolder } from "./remove-folder.ts";

/**
 * The database and the data folder of a test file. The files of a process have theirs at the same address, since the
 * service reads its settings once: each file finds a new database, and a new folder with the secrets that the process
 * has read.
 */

export type Place = { databaseUrl: string; dataDir: string; leave(): Promise<void> };

type OwnAddress = { databaseName: string; dataDir: string; secrets: Map<string, Buffer> };

let address: OwnAddress | undefined;
let leaveCurrentPlace: (() => Promise<void>) | undefined;

/** Creates the database and the data folder of the current test file. `leave` removes both. */
export async function openOwnPlace(serverUrl: string): Promise<Place> {
  // The last file may have failed to load, and so not have left its place.
  await leaveCurrentPlace?.();
  const own = (address ??= createAddress());
  const database = await cloneDatabase(serverUrl, own.databaseName);
  writeSecrets(own);
  const leave = async () => {
    leaveCurrentPlace = undefined;
    const { disconnectDatabase } = await import("#lib/database/client.ts");
    await disconnectDatabase();
    await database.close();
    rememberSecrets(own);
    removeFolder(own.dataDir);
  };
  leaveCurrentPlace = leave;
  return { databaseUrl: database.url, dataDir: own.dataDir, leave };
}

function createAddress(): OwnAddress {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
  createOrReadSecret({ dataDir }, "data");
  const own = { databaseName: `test_${randomBytes(6).toString("hex")}`, dataDir, secrets: new Map() };
  rememberSecrets(own);
  return own;
}

const getSecretsFolder = ({ dataDir }: OwnAddress): string => path.join(dataDir, "secrets");

function rememberSecrets(own: OwnAddress): void {
  const folder = getSecretsFolder(own);
  if (!fs.existsSync(folder)) return;
  // A restore may have replaced what this process has read.
  for (const name of fs.readdirSync(folder))
    if (!own.secrets.has(name)) own.secrets.set(name, fs.readFileSync(path.join(folder, name)));
}

function writeSecrets(own: OwnAddress): void {
  const folder = getSecretsFolder(own);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of own.secrets)
    fs.writeFileSync(path.join(folder, name), content, { mode: 0o600 });
}
