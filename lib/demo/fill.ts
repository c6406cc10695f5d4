import type { ClientBase } from "pg";
import type { KeptFile } from "#lib/files/evidence.ts";
import type { StoredMarks } from "./files.ts";
import { deedsOf, type DemoDeed } from "./deeds.ts";
import type { WantedFile } from "./reports.ts";
import type { World } from "./world.ts";

/** Thrown when somebody has been here before; its message is for the person at the keyboard. */
class NotEmpty extends Error {}

/** @throws NotEmpty when the database holds an account or an organization */
export async function refuseUnlessEmpty(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ empty: boolean }>(`
    select not exists (select from users) and not exists (select from organizations)
      and not exists (select from installation_facts) as empty`);
  if (rows[0]?.empty) return;
  throw new NotEmpty(
    "This database is in use: it holds accounts or organizations. The demo is for an empty one, and nothing was changed. Set HEED_DATA_DIR to a new folder (or DATABASE_URL to an empty database) and run it again.",
  );
}

export type Filling = {
  world: World;
  passwordHash: string;
  /** Already in the storage, in the order of `world.files`. */
  files: readonly KeptFile[];
  marks: StoredMarks;
};

/**
 * Writes the whole world, or nothing: rows in bulk, back-dated, and then the audit entries of what set it up. These
 * carry the present time, since that is when they were written. Nobody can register meanwhile.
 * @throws NotEmpty
 */
export async function fillDatabase(client: ClientBase, filling: Filling): Promise<void> {
  await client.query("begin");
  try {
    await client.query("lock table users, organizations, installation_facts in share row exclusive mode");
    await refuseUnlessEmpty(client);
    await insertWorld(client, filling);
    await insertFiles(client, filling);
    for (const deed of deedsOf(filling.world)) await append(client, deed);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

async function insertWorld(client: ClientBase, { world, passwordHash, marks }: Filling): Promise<void> {
  const first = world.users.find(({ system_admin }) => system_admin);
  const facts = first ? [{ key: "firstAdministrator", value: first.id, created_at: first.created_at }] : [];
  await insert(
    client,
    "users",
    world.users.map((user) => ({ ...user, password_hash: passwordHash })),
  );
  await insert(client, "installation_facts", facts);
  await insert(
    client,
    "organizations",
    world.organizations.map((row) => ({ ...row, ...logo(marks, row.slug) })),
  );
  await insert(client, "organization_members", world.members);
  await insert(
    client,
    "events",
    world.events.map((row) => ({ ...row, ...logo(marks, row.slug) })),
  );
  await insert(client, "event_roles", world.eventRoles);
  await insert(client, "invites", world.invites);
  await insert(client, "invite_uses", world.inviteUses);
  await insert(client, "incidents", world.incidents);
  await insert(client, "incident_history", world.history);
  await insert(client, "team_notes", world.notes);
  await insert(client, "reporter_messages", world.messages);
  await insert(client, "incident_history", entriesOfMessages(world));
  await insert(client, "pins", world.pins);
  await insert(client, "incident_access", looksIn(world));
}

/** A message has an entry in the history that names it, as the service itself writes it. */
function entriesOfMessages({ messages, incidents }: World): object[] {
  const eventOf = new Map(incidents.map(({ id, event_id }) => [id, event_id]));
  return messages.map(({ id, incident_id, author_id, created_at }) => ({
    // The entry has an id of its own; that of the message, which is unique as well, serves.
    id,
    incident_id,
    event_id: eventOf.get(incident_id),
    actor_id: author_id,
    action: "message",
    object_id: id,
    created_at,
  }));
}

/** Whoever did something with a report had looked at it; reporters aren't counted at their own. */
function looksIn({ history, incidents, eventRoles }: World): object[] {
  const reporterOf = new Map(incidents.map(({ id, reporter_id }) => [id, reporter_id]));
  const roles = new Map(eventRoles.map((one) => [`${one.event_id} ${one.user_id}`, one.role_name]));
  const looks = history.flatMap(({ incident_id, event_id, actor_id, created_at: at }) => {
    if (!actor_id || actor_id === reporterOf.get(incident_id)) return [];
    const role = roles.get(`${event_id} ${actor_id}`) ?? "Responder";
    return [{ incident_id, event_id, actor_id, kind: "view", by_right: `event:${role}`, at }];
  });
  return [
    ...new Map(looks.map((look) => [`${look.incident_id} ${look.actor_id} ${+look.at}`, look])).values(),
  ];
}

const logo = (marks: StoredMarks, slug: string) => {
  const mark = marks.get(slug);
  return { logo_key: mark?.key ?? null, logo_type: mark?.type ?? null, logo_size: mark?.size ?? null };
};

/** A report's files came with it, from whoever sent it. */
async function insertFiles(client: ClientBase, { world, files }: Filling): Promise<void> {
  const rows = files.map((file, index) => {
    const { incident, shows } = world.files[index] as WantedFile;
    return {
      incident_id: incident.id,
      event_id: incident.event_id,
      filename: file.filename,
      mimetype: file.mimetype,
      size: file.size,
      sha256: file.sha256,
      copy_sha256: file.copySha256,
      storage_key: file.storageKey,
      original_key: file.originalKey,
      original_size: file.originalSize,
      clean_state: file.cleanState,
      reveals: file.reveals,
      description: shows,
      visible_to_reporter: true,
      uploaded_by_id: incident.reporter_id,
      created_at: incident.created_at,
    };
  });
  await insert(client, "related_files", rows);
}

/** One statement for all rows; they have the same columns, and the others take their defaults. */
async function insert(client: ClientBase, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first)
    .map((name) => `"${name}"`)
    .join(", ");
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

async function append(client: ClientBase, deed: DemoDeed): Promise<void> {
  const { chain, actorId, action, objectType, objectId, eventId, right, data } = deed;
  await client.query("select audit_append($1, $2::uuid, $3, $4, $5::uuid, $6::uuid, $7, null, $8::jsonb)", [
    chain,
    actorId,
    action,
    objectType,
    objectId,
    eventId,
    right,
    JSON.stringify(data),
  ]);
}
