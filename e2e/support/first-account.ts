import fs from "node:fs";
import path from "node:path";
import type { SharedService } from "./service.ts";

/** Makes the next person who registers the first one, who becomes SystemAdmin, as on an empty database. */
export async function makeNextAccountTheFirst(service: SharedService): Promise<void> {
  await service.sql("delete from installation_metadata where key = 'firstAdministrator'");
}

/**
 * Prepares a service for a program that expects an empty one, and chooses fixed names: who is there isn't SystemAdmin,
 * and addresses of people and slugs become others. Mails in the outbox are removed.
 */
export async function makeServiceSeemEmpty(service: SharedService): Promise<void> {
  await makeNextAccountTheFirst(service);
  await service.sql("update users set system_admin = false, email = id || '@example.org'");
  for (const table of ["organizations", "events"])
    await service.sql(`update ${table} set slug = 'former-' || left(id::text, 8)`);
  const outbox = path.join(service.dataDir, "outbox");
  for (const name of fs.existsSync(outbox) ? fs.readdirSync(outbox) : [])
    fs.rmSync(path.join(outbox, name), { force: true });
}
