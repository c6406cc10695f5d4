import type { ClientBase } from "pg";
import type { StoredUpload } from "#lib/files/evidence.ts";
import type { StoredDemoLogoBySlug } from "./files.ts";
import { buildDemoAuditEntries, type DemoAuditEntry } from "./audit-entries.ts";
import type { DemoFilePlan } from "./reports.ts";
import { DEMO_EVENTS } from "./places.ts";
import type { DemoWorldRows } from "./world.ts";

/** Thrown when the database is already in use. The message is shown in the terminal. */
class DatabaseNotEmptyError extends Error {}

/** Checks that the database holds no account and no organization. @throws DatabaseNotEmptyError */
export async function assertEmptyDatabase(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ empty: boolean }>(`
    select not exists (select from users) and not exists (select from organizations)
      and not exists (select from installation_metadata) as empty`);
  if (rows[0]?.empty) return;
  throw new DatabaseNotEmptyError(
    "This database is in use: it holds accounts or organizations. The demo is for an empty one, and nothing was changed. Set HEED_DATA_DIR to a new folder (or DATABASE_URL to an empty database) and run it again.",
  );
}

type DemoData = {
  world: DemoWorldRows;
  passwordHash: string;
  /** Stored already, in the order of `world.files`. */
  files: readonly StoredUpload[];
  logos: StoredDemoLogoBySlug;
};

/**
 * Writes the whole demo world or nothing: rows in bulk with past dates, then the audit entries for its setup. The
 * entries carry the current time, since that is when they are written. Blocks registration in the meantime.
 * @throws DatabaseNotEmptyError
 */
export async function fillDatabaseWithDemoData(client: ClientBase, demoData: DemoData): Promise<void> {
  await client.query("begin");
  try {
    await client.query("lock table users, organizations, installation_metadata in share row exclusive mode");
    await assertEmptyDatabase(client);
    await insertWorld(client, demoData);
    await insertFiles(client, demoData);
    for (const entry of buildDemoAuditEntries(demoData.world)) await appendAuditEntry(client, entry);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

async function insertWorld(client: ClientBase, { world, passwordHash, logos }: DemoData): Promise<void> {
  const first = world.users.find(({ system_admin }) => system_admin);
  const metadata = first
    ? [{ key: "firstAdministrator", value: first.id, created_at: first.created_at }]
    : [];
  await insertRows(
    client,
    "users",
    world.users.map((user) => ({ ...user, password_hash: passwordHash })),
  );
  await insertRows(client, "installation_metadata", metadata);
  await insertRows(
    client,
    "organizations",
    world.organizations.map((row) => ({ ...row, ...logoColumns(logos, row.slug) })),
  );
  await insertRows(client, "organization_members", world.members);
  await insertRows(
    client,
    "events",
    world.events.map((row) => ({ ...row, ...logoColumns(logos, row.slug) })),
  );
  await insertRows(client, "event_report_settings", buildReportSettings(world));
  await insertRows(client, "event_roles", world.eventRoles);
  await insertRows(client, "invites", world.invites);
  await insertRows(client, "invite_uses", world.inviteUses);
  await insertRows(client, "incidents", world.incidents);
  await insertRows(client, "incident_history", world.history);
  await insertRows(client, "team_notes", world.notes);
  await insertRows(client, "reporter_messages", world.messages);
  await insertRows(client, "incident_history", buildMessageHistory(world));
  await clearMessageAfterClosingFlags(client);
  await insertRows(client, "pins", world.pins);
  await insertRows(client, "incident_access", buildAccessLog(world));
}

/** Builds the report settings of events with an emergency contact; all else keeps its default. */
function buildReportSettings({ events }: DemoWorldRows): object[] {
  return events.flatMap(({ id, slug, created_at }) => {
    const { emergency = null } = DEMO_EVENTS.find((event) => event.slug === slug) ?? {};
    if (!emergency) return [];
    return {
      event_id: id,
      emergency_number: emergency.number,
      emergency_contact: emergency.contact,
      emergency_phone: emergency.phone,
      updated_at: created_at,
    };
  });
}

/**
 * Clears `message_after_closing` where the last message is older than the last change of status. The database sets the
 * column because messages are inserted after the incidents have their final status; in the service, the change of
 * status clears it.
 */
async function clearMessageAfterClosingFlags(client: ClientBase): Promise<void> {
  await client.query(`
    update incidents i set message_after_closing = false
    where message_after_closing and last_message_at < (
      select max(h.created_at) from incident_history h where h.incident_id = i.id and h.action in ('state', 'reopen'))`);
}

/** Each message has a history entry that references it, as in the service itself. */
function buildMessageHistory({ messages, incidents }: DemoWorldRows): object[] {
  const eventOf = new Map(incidents.map(({ id, event_id }) => [id, event_id]));
  return messages.map(({ id, incident_id, author_id, created_at }) => ({
    // The entry needs a unique id, and the message's id serves as one.
    id,
    incident_id,
    event_id: eventOf.get(incident_id),
    actor_id: author_id,
    action: "message",
    object_id: id,
    created_at,
  }));
}

/** Whoever acted on a report has viewed it. Reporters' views of their own reports aren't logged. */
function buildAccessLog({ history, incidents, eventRoles }: DemoWorldRows): object[] {
  const reporterOf = new Map(incidents.map(({ id, reporter_id }) => [id, reporter_id]));
  const roles = new Map(eventRoles.map((one) => [`${one.event_id} ${one.user_id}`, one.role_name]));
  const views = history.flatMap(({ incident_id, event_id, actor_id, created_at: at }) => {
    if (!actor_id || actor_id === reporterOf.get(incident_id)) return [];
    const role = roles.get(`${event_id} ${actor_id}`) ?? "Responder";
    return [{ incident_id, event_id, actor_id, kind: "view", by_right: `event:${role}`, at }];
  });
  return [
    ...new Map(views.map((view) => [`${view.incident_id} ${view.actor_id} ${+view.at}`, view])).values(),
  ];
}

const logoColumns = (logos: StoredDemoLogoBySlug, slug: string) => {
  const storedLogo = logos.get(slug);
  return {
    logo_key: storedLogo?.key ?? null,
    logo_type: storedLogo?.type ?? null,
    logo_size: storedLogo?.size ?? null,
  };
};

/** Inserts the rows of the demo's files, as if the sender had uploaded each with its report. */
async function insertFiles(client: ClientBase, { world, files }: DemoData): Promise<void> {
  const rows = files.map((file, index) => {
    const { incident, shows } = world.files[index] as DemoFilePlan;
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
  await insertRows(client, "related_files", rows);
}

/** Inserts all rows with one statement. The rows must have the same columns; other columns take their defaults. */
async function insertRows(client: ClientBase, table: string, rows: readonly object[]): Promise<void> {
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

async function appendAuditEntry(client: ClientBase, entry: DemoAuditEntry): Promise<void> {
  const { chain, actorId, action, objectType, objectId, eventId, right, data } = entry;
  await client.query(
    "select append_audit_entry($1, $2::uuid, $3, $4, $5::uuid, $6::uuid, $7, null, $8::jsonb)",
    [chain, actorId, action, objectType, objectId, eventId, right, JSON.stringify(data)],
  );
}
