import fs from "node:fs";
import path from "node:path";

/** Returns the mails in the outbox folder of a data folder, oldest first; those of the service that the journeys share. */
export function readMailTexts(dataDir: string = process.env.HEED_DATA_DIR ?? ""): string[] {
  const folder = path.join(dataDir, "outbox");
  if (!fs.existsSync(folder)) return [];
  return (
    fs
      .readdirSync(folder)
      // A mail that is still being written has another extension.
      .filter((name) => name.endsWith(".eml"))
      .sort()
      .map((name) => fs.readFileSync(path.join(folder, name), "utf8"))
  );
}

/** Returns the newest mail to an address, without the line breaks and signs of its encoding. */
export const findMailTo = (email: string, mails: readonly string[] = readMailTexts()): string | undefined =>
  mails
    .findLast((text) => text.includes(`To: ${email}`))
    ?.replace(/=\r?\n/g, "")
    .replaceAll("=3D", "=");
