import { createHash, randomBytes } from "node:crypto";
import type { Role } from "#e2e/api/roles.ts";
import { Caller, type Example, type Row } from "#e2e/api/routes.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import type { SharedService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { TestWorld, type EventRef, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";
import { type PlaceholderName, PEOPLE } from "./placeholders.ts";
import type { Asker } from "./plans.ts";

/**
 * The fixture to which generated requests are sent: two tenants with unique words in every field that others must not
 * see, and for each asker the secrets that no response may contain.
 */

/** Unique texts by field. */
type ReportTexts = Record<
  "title" | "description" | "location" | "parties" | "note" | "message" | "file",
  string
>;

type FiledReport = { report: ReportRecord; texts: ReportTexts };

/** After this many requests a new fixture is created, before lists and limits of a person fill up. */
const MAX_REQUESTS_PER_FIXTURE = 400;

export class TestFixture {
  readonly world: TestWorld;
  readonly caller: Caller;
  readonly known: Record<PlaceholderName, string>;
  /** Values of the header Authorization. */
  readonly tokens: Record<"eventToken" | "readingToken", string>;
  readonly #secrets: Record<Asker, string[]>;
  readonly #people: TestPerson[];
  readonly #asBuilt: string;
  readonly #examples = new Map<string, Example>();
  readonly #disclosed = new Set<string>();
  #requests = 0;

  private constructor(made: FixtureData, asBuilt: string) {
    this.world = made.world;
    this.caller = made.caller;
    this.known = made.known;
    this.tokens = made.tokens;
    this.#secrets = listSecretsByAsker(made);
    this.#people = listPeople(made.world);
    this.#asBuilt = asBuilt;
  }

  static async make(service: SharedService): Promise<TestFixture> {
    await service.sql("delete from system_settings");
    const made = await createFixtureData(await TestWorld.build(service));
    return new TestFixture(made, await readStateHash(made.world, listPeople(made.world)));
  }

  /** Returns the request of a row that succeeds; for reads it is created once. */
  async example(row: Row, role: Role): Promise<Example> {
    const make = async () => (await row.example?.(this.world, role)) ?? {};
    if (row.method !== "GET") return make();
    const key = `${row.path} ${role}`;
    const example = this.#examples.get(key) ?? (await make());
    this.#examples.set(key, example);
    return example;
  }

  /** Returns the secrets that no response to this asker may contain. */
  secretsFrom = (asker: Asker): string[] =>
    this.#secrets[asker].filter((secret) => !this.#disclosed.has(secret));

  /** Removes values from the secrets, since somebody has written them where others may read them. */
  addDisclosed(names: PlaceholderName[]): void {
    for (const name of names) this.#disclosed.add(this.known[name]);
  }

  /** Returns whether people's roles still match the secrets, and the fixture has capacity left. */
  async isUsable(written: boolean): Promise<boolean> {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS_PER_FIXTURE) return false;
    if (!written) return true;
    await this.world.service.sql("delete from system_settings");
    return (await readStateHash(this.world, this.#people)) === this.#asBuilt;
  }
}

/** Returns the role whose permissions an asker has. */
export const getAskerRole = (asker: Asker): Role =>
  asker === "eventToken" ? "omar" : asker === "readingToken" ? "ada" : asker;

type FixtureData = {
  world: TestWorld;
  caller: Caller;
  known: Record<PlaceholderName, string>;
  tokens: Record<"eventToken" | "readingToken", string>;
  filed: Record<"mayas" | "ritas" | "otherEvents" | "foreign", FiledReport>;
  /** Codes of invites, and descriptions of webhooks. */
  managed: Record<"event" | "organization" | "foreign", string[]>;
};

async function createFixtureData(world: TestWorld): Promise<FixtureData> {
  const { maya, rita, omar, ines, berta, boris, event, otherEvent, foreignEvent } = world;
  const mayas = await fileReport(world, maya, { event, team: omar });
  const ritas = await fileReport(world, rita, { event, team: omar });
  const otherEvents = await fileReport(world, ines, { event: otherEvent, team: ines });
  const foreign = await fileReport(world, boris, { event: foreignEvent, team: berta });
  const invite = await createEventInvite(world, event);
  const foreignInvite = await createEventInvite(world, foreignEvent);
  const own = await createAdminObjects(world, world.olga, world.organization.id);
  const other = await createAdminObjects(world, world.bruno, world.foreignOrganization.id);
  const filed = { mayas, ritas, otherEvents, foreign };
  return {
    world,
    caller: await Caller.over(world),
    tokens: {
      eventToken: await createToken(world, omar, "write", event),
      readingToken: await createToken(world, world.ada, "read"),
    },
    filed,
    managed: {
      event: [invite.code],
      organization: [own.invite.code, own.webhook.searchWord],
      foreign: [foreignInvite.code, other.invite.code, other.webhook.searchWord],
    },
    known: {
      ...mapPlaceIds(world),
      ...mapReportIds(filed),
      "invite.id": invite.id,
      "invite.code": invite.code,
      "foreignInvite.id": foreignInvite.id,
      "foreignInvite.code": foreignInvite.code,
      "organizationInvite.id": own.invite.id,
      "organizationInvite.code": own.invite.code,
      "foreignOrganizationInvite.id": other.invite.id,
      "foreignOrganizationInvite.code": other.invite.code,
      "webhook.id": own.webhook.id,
      "foreignWebhook.id": other.webhook.id,
    },
  } as FixtureData;
}

function mapPlaceIds(world: TestWorld): Record<string, string> {
  const places = (
    ["organization", "event", "otherEvent", "foreignOrganization", "foreignEvent"] as const
  ).flatMap((name) => [
    [`${name}.id`, world[name].id],
    [`${name}.slug`, world[name].slug],
  ]);
  const people = NAMES.flatMap((name) => [
    [`${name}.id`, world[name].id],
    [`${name}.email`, world[name].email],
  ]);
  return Object.fromEntries([...places, ...people]);
}

const mapReportIds = ({
  mayas,
  ritas,
  otherEvents,
  foreign,
}: FixtureData["filed"]): Record<string, string> => ({
  "report.id": mayas.report.id,
  "otherReport.id": ritas.report.id,
  "otherEventReport.id": otherEvents.report.id,
  "foreignReport.id": foreign.report.id,
  "note.id": mayas.report.noteId,
  "message.id": mayas.report.messageId,
  "foreignNote.id": foreign.report.noteId,
  "file.id": mayas.report.relatedFiles[0].id,
  "foreignFile.id": foreign.report.relatedFiles[0].id,
});

/** Files a report with a file, a team note and a message to its reporter, each with unique texts. */
async function fileReport(
  world: TestWorld,
  reporter: TestPerson,
  { event, team }: { event: EventRef; team: TestPerson },
): Promise<FiledReport> {
  const word = (part: string) => `zq${part}${generateUniqueWord()}`;
  const texts: ReportTexts = {
    title: word("title"),
    description: word("description"),
    location: word("location"),
    parties: word("parties"),
    note: word("note"),
    message: word("message"),
    file: word("file"),
  };
  const { title, description, location, parties } = texts;
  const attachment = { name: `${texts.file}.txt`, bytes: "What I saw.", type: "text/plain" };
  const path = `/api/events/${event.id}/incidents`;
  const body = buildForm({ title, description, location, parties }, attachment);
  const report: ReportRecord = (await world.as(reporter).post(path, body)).body.incident;
  const say = async (visibility: string, text: string) =>
    (await world.as(team).post(`${path}/${report.id}/comments`, { visibility, body: text })).body.comment.id;
  const noteId = await say("internal", texts.note);
  const messageId = await say("public", texts.message);
  return { report: { ...report, noteId, messageId }, texts };
}

const createEventInvite = async (world: TestWorld, event: EventRef): Promise<{ id: string; code: string }> =>
  (await world.as(world.sam).post(`/api/events/${event.id}/invites`, { role: "Reporter" })).body.invite;

async function createAdminObjects(world: TestWorld, admin: TestPerson, organizationId: string) {
  const path = `/api/organizations/${organizationId}`;
  const { invite } = (await world.as(admin).post(`${path}/invites`, { role: "org_viewer" })).body;
  const searchWord = `zqwebhook${generateUniqueWord()}`;
  const wanted = { url: "https://hooks.invalid/heed", kinds: ["incident.created"], description: searchWord };
  const { webhook } = (await world.as(admin).post(`${path}/webhooks`, wanted)).body;
  return { invite, webhook: { id: webhook.id as string, searchWord } };
}

async function createToken(
  world: TestWorld,
  { id }: TestPerson,
  scope: string,
  event?: EventRef,
): Promise<string> {
  const text = `heed_${randomBytes(32).toString("base64url")}`;
  await world.service.sql(
    `insert into api_tokens (user_id, name, token_hash, scope, event_id, expires_at)
     values ($1, 'generated', $2, $3::token_scope, $4, now() + interval '1 day')`,
    [id, createHash("sha256").update(text).digest(), scope, event?.id ?? null],
  );
  return `Bearer ${text}`;
}

const NAMES = [...PEOPLE, "boris"] as const;
type Name = (typeof NAMES)[number];

const listPeople = (world: TestWorld): TestPerson[] => NAMES.map((name) => world[name]);

/** Lists by asker what they must not see (contract 2). Nobody may see passwords and hashes. */
function listSecretsByAsker({ world, known, filed, managed }: FixtureData): Record<Asker, string[]> {
  const { mayas, ritas, otherEvents, foreign } = filed;
  const all = (one: FiledReport) => [one.report.id, ...Object.values(one.texts)];
  const listTexts = ({ texts }: FiledReport) =>
    Object.entries(texts).flatMap(([part, word]) => (part === "title" ? [] : [word]));
  const who = (...names: Name[]) => names.flatMap((name) => [world[name].id, world[name].email]);
  const addresses = (...names: Name[]) => names.map((name) => world[name].email);
  const others = [...all(foreign), ...who("bruno", "berta", "boris"), ...managed.foreign];
  const own = [...all(mayas), ...all(ritas), ...all(otherEvents), ...managed.event, ...managed.organization];
  const ours = [...own, ...who("olga", "viktor", "ada", "omar", "maya", "rita", "ines")];
  const beside = [...all(otherEvents), ...who("ines"), ...managed.organization];
  const readers = [
    ...others,
    ...[mayas, ritas, otherEvents].flatMap(listTexts),
    ...managed.event,
    ...who("maya", "rita"),
  ];
  const reporter = (mine: FiledReport, theirs: FiledReport) => [
    ...others,
    ...beside,
    ...managed.event,
    ...all(theirs),
    mine.texts.note,
    known["note.id"],
    ...addresses("olga", "viktor", "ada", "omar"),
  ];
  const responder = [...others, ...beside, ...managed.event];
  const admin = [...others, ...beside];
  const stranger = [...others, ...ours];
  const lists: Record<Asker, string[]> = {
    nobody: stranger,
    nora: stranger,
    maya: [...reporter(mayas, ritas), ...addresses("rita")],
    rita: [...reporter(ritas, mayas), ...addresses("maya")],
    omar: responder,
    eventToken: responder,
    ada: admin,
    readingToken: admin,
    ines: [
      ...others,
      ...all(mayas),
      ...all(ritas),
      ...who("ada", "omar", "maya", "rita", "viktor", "olga"),
    ].concat(managed.event, managed.organization),
    viktor: [...readers, ...managed.organization],
    olga: readers,
    bruno: [...ours, ...listTexts(foreign), ...who("boris")],
    berta: [...ours, ...managed.foreign],
    sam: [],
  };
  const never = ["$2b$", "token_hash", "password_hash", "passwordHash"];
  return Object.fromEntries(
    Object.entries(lists).map(([asker, list]) => [asker, [...list, ...never]]),
  ) as Record<Asker, string[]>;
}

/**
 * Hashes the state on which the secrets depend: people, and the roles, settings and notes of their organizations and
 * events.
 */
async function readStateHash(world: TestWorld, people: TestPerson[]): Promise<string> {
  const organizations = [world.organization, world.foreignOrganization];
  const events = [world.event, world.otherEvent, world.foreignEvent];
  const ids = [people, organizations, events].map((some) => some.map(({ id }) => id));
  const [row] = await world.service.sql<{ state: string }>(STATE_SQL, ids);
  return row?.state ?? "";
}

const aggregateSql = (columns: string, from: string) =>
  `(select coalesce(string_agg(concat_ws(' ', ${columns}), ',' order by concat_ws(' ', ${columns})), '') from ${from})`;

const STATE_SQL = `select md5(concat_ws(';',
  ${aggregateSql("id, name, email, system_admin, disabled_at", "users where id = any($1)")},
  ${aggregateSql("user_id, event_id, role_name", "event_roles where event_id = any($3) and user_id = any($1)")},
  ${aggregateSql("user_id, organization_id, role", "organization_members where organization_id = any($2) and user_id = any($1)")},
  ${aggregateSql("user_id", "second_factors where user_id = any($1)")},
  ${aggregateSql("id, slug, name, require_second_factor", "organizations where id = any($2)")},
  ${aggregateSql("id, slug, name", "events where id = any($3)")},
  ${aggregateSql("event_id, show_team", "event_report_settings where event_id = any($3)")},
  ${aggregateSql("n.id", "team_notes n join incidents i on i.id = n.incident_id where n.body like 'zq%' and i.event_id = any($3)")},
  ${aggregateSql("user_id", "(select distinct user_id from sessions where user_id = any($1)) s")})) as state`;
