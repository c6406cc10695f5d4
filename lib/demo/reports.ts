import { KINDS } from "#lib/incidents/kinds.ts";
import { DAY, type Clock } from "./clock.ts";
import { converse } from "./conversation.ts";
import { FILES_SHOW } from "./message-words.ts";
import { EVENTS, SPOTS, type DemoEvent } from "./places.ts";
import { seeded, type Random } from "./random.ts";
import type {
  EventRoleRow,
  EventRow,
  HistoryRow,
  IncidentRow,
  MessageRow,
  PinRow,
  TeamNoteRow,
} from "./rows.ts";
import { ENDINGS, PARTIES, STORIES, type Evidence, type Story } from "./stories.ts";
import { liveThrough, type Change, type Life } from "./timeline.ts";

/** The reports of the demo world, with what became of them. */

/** A file that is still to be made; `seed` decides how it looks. */
export type WantedFile = {
  incident: Pick<IncidentRow, "id" | "event_id" | "title" | "description" | "reporter_id" | "created_at">;
  kind: Evidence;
  seed: number;
  /** What it shows, where the sender said so. */
  shows: string | null;
};

export type Reports = {
  incidents: IncidentRow[];
  history: HistoryRow[];
  notes: TeamNoteRow[];
  /** Between team and reporter; each has its entry in the history, made as it is written. */
  messages: MessageRow[];
  pins: PinRow[];
  files: WantedFile[];
};

export type Given = { events: EventRow[]; eventRoles: EventRoleRow[]; clock: Clock; deadlineHours: number };

/** Shares of all reports. */
const ANONYMOUS = 0.18;
const BY_THE_TEAM = 0.05;
const UNWEIGHED = 0.08;
const RETITLED = 0.05;
/** Of those whose story may come with a file. */
const WITH_FILES = 0.5;
const DESCRIBED = 0.7;

/** Talk has chance of its own, so that more of it leaves the reports as they are. */
const TALK_SEED = 4_711;

export function writeReports(random: Random, given: Given): Reports {
  const writer = new Writer(random, given);
  for (const row of given.events) writer.writeAll(row);
  return { ...writer.reports, pins: pins(random, writer.reports.incidents, given.eventRoles) };
}

class Writer {
  readonly reports: Omit<Reports, "pins"> = {
    incidents: [],
    history: [],
    notes: [],
    messages: [],
    files: [],
  };
  readonly #random: Random;
  readonly #talk = seeded(TALK_SEED);
  readonly #given: Given;
  /** Titles and descriptions so far: nothing is told twice in the same words. */
  readonly #told = new Set<string>();

  constructor(random: Random, given: Given) {
    this.#random = random;
    this.#given = given;
  }

  /** Every story of the setting comes up before one of them comes up again. */
  writeAll(row: EventRow): void {
    const random = this.#random;
    const event = EVENTS.find(({ slug }) => slug === row.slug) as DemoEvent;
    const fitting = STORIES.filter(({ where }) => where.includes(event.setting));
    let deck: Story[] = [];
    for (const createdAt of moments(random, event, this.#given.clock)) {
      if (deck.length === 0) deck = random.shuffled(fitting);
      this.#write(row, { event, story: deck.pop() as Story, createdAt });
    }
  }

  #write(
    row: EventRow,
    { event, story, createdAt }: { event: DemoEvent; story: Story; createdAt: Date },
  ): void {
    const random = this.#random;
    const id = random.uuid();
    const reporterId = this.#reporter(row.id);
    const life = this.#life(row, { story, createdAt, reporterId });
    const title = this.#newWords(story.titles);
    const retitled =
      random.chance(RETITLED) &&
      this.#retitle(life, { createdAt, title, former: this.#newWords(story.titles) });
    const incident: IncidentRow = {
      ...wordsOf(random, { event, story, anonymous: reporterId === null, createdAt }),
      ...columnsOf(life),
      id,
      event_id: row.id,
      title,
      description: this.#description(story),
      reporter_id: reporterId,
      created_at: createdAt,
    };
    const history = retitled ? [...life.history, retitled] : life.history;
    this.reports.incidents.push(incident);
    this.reports.history.push(
      ...history.toSorted(byTime).map((change) => historyRow(random, incident, change)),
    );
    this.reports.notes.push(...life.notes.map((note) => noteRow(random, incident, note)));
    this.reports.files.push(...this.#files(incident, story));
    this.reports.messages.push(...this.#messages(incident, { story, life }));
  }

  /** Nobody can write to who left no name, and nobody does to who asked for that. */
  #messages(incident: IncidentRow, { story, life }: { story: Story; life: Life }): MessageRow[] {
    const { reporter_id: reporterId, contact_method: contact } = incident;
    const onTeam = this.#given.eventRoles.some(
      (role) =>
        role.event_id === incident.event_id && role.user_id === reporterId && role.role_name !== "Reporter",
    );
    if (!reporterId || onTeam || contact === "no_contact") return [];
    const { now } = this.#given.clock;
    return converse(this.#talk, { story, reporterId, history: life.history, now }).map(
      ({ at, authorId, body }) => ({
        id: this.#talk.uuid(),
        incident_id: incident.id,
        author_id: authorId,
        body,
        created_at: at,
        updated_at: at,
      }),
    );
  }

  #reporter(eventId: string): string | null {
    const random = this.#random;
    if (random.chance(ANONYMOUS)) return null;
    const roles = this.#given.eventRoles.filter(({ event_id }) => event_id === eventId);
    const team = random.chance(BY_THE_TEAM);
    const wanted = roles.filter(({ role_name }) => (role_name === "Reporter") !== team);
    // The first of them is the account to log in with, which should have something to show.
    const [first] = wanted as [EventRoleRow];
    return !team && random.chance(0.08) ? first.user_id : random.pick(wanted).user_id;
  }

  #life(
    row: EventRow,
    { story, createdAt, reporterId }: { story: Story; createdAt: Date; reporterId: string | null },
  ): Life {
    const random = this.#random;
    const team = this.#given.eventRoles.filter(
      ({ event_id, role_name }) => event_id === row.id && role_name !== "Reporter",
    );
    const short = row.end_date !== null && row.end_date.getTime() - row.start_date.getTime() < 10 * DAY;
    const severity = {
      reported: random.chance(0.3) ? random.pick(story.severity) : null,
      judged: random.chance(UNWEIGHED) ? null : random.pick(story.severity),
    };
    return liveThrough(
      random,
      { kind: story.kind, looking: story.looking, resolved: story.resolved, createdAt, reporterId, severity },
      {
        now: this.#given.clock.now,
        team: team.map(({ user_id }) => user_id),
        swift: short && createdAt >= row.start_date && createdAt <= (row.end_date as Date),
        deadlineHours: this.#given.deadlineHours,
      },
    );
  }

  /** A first title that said too much, or too little, was changed by somebody of the team. */
  #retitle(
    life: Life,
    { createdAt, title, former }: { createdAt: Date; title: string; former: string },
  ): Change | null {
    const at = new Date(createdAt.getTime() + this.#random.whole(600, 9000) * 1000);
    const actorId = life.history.find(({ actorId }, index) => index > 0 && actorId)?.actorId;
    if (!actorId || at > this.#given.clock.now) return null;
    life.updatedAt = new Date(Math.max(life.updatedAt.getTime(), at.getTime()));
    return { at, actorId, action: "title", from: former, to: title };
  }

  #description(story: Story): string {
    const told = this.#newWords([story.told]);
    const ending = this.#random.pick(story.thing ? ENDINGS.slice(0, 4) : ENDINGS);
    return [told, ending].filter(Boolean).join(this.#random.chance(0.5) ? "\n\n" : " ");
  }

  #newWords(patterns: readonly string[]): string {
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const words = this.#random.say(this.#random.pick(patterns));
      if (this.#told.has(words)) continue;
      this.#told.add(words);
      return words;
    }
    throw new Error(`the story “${patterns[0]}” has too few words`);
  }

  #files(incident: IncidentRow, story: Story): WantedFile[] {
    const random = this.#random;
    if (!story.evidence || !random.chance(WITH_FILES)) return [];
    const kinds = random.shuffled(story.evidence).slice(0, random.whole(1, 2));
    return kinds.map((kind) => ({
      incident,
      kind,
      seed: random.whole(1, 2 ** 31),
      shows: this.#talk.chance(DESCRIBED) ? this.#talk.say(this.#talk.pick(FILES_SHOW[kind])) : null,
    }));
  }
}

/** When the reports of an event came, oldest first. The newest of a running one are minutes old. */
function moments(random: Random, event: DemoEvent, clock: Clock): Date[] {
  const drawn = event.reports.flatMap(({ from, to, count }) =>
    Array.from({ length: count }, () => moment(random, { from, to }, clock)),
  );
  const times = drawn.toSorted((a, b) => a - b);
  const running = event.startDay < 0 && event.endDay !== null && event.reports.some(({ to }) => to === 0);
  if (running) times.splice(-2, 2, clock.now.getTime() - 47 * 60_000, clock.now.getTime() - 9 * 60_000);
  return times
    .toSorted((a, b) => a - b)
    .map((time) => new Date(Math.floor(time / 1000) * 1000 + random.whole(0, 999)));
}

/** In waking hours, evenings more than mornings; never in the future. */
function moment(random: Random, { from, to }: { from: number; to: number }, clock: Clock): number {
  const latest = clock.now.getTime() - 5 * 60_000;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const hour = 9 + 14 * Math.sqrt(random.number());
    const time = clock.at(random.whole(from, to), hour).getTime();
    if (time <= latest) return time;
  }
  return latest - random.whole(0, 6 * 3600) * 1000;
}

type Telling = { event: DemoEvent; story: Story; anonymous: boolean; createdAt: Date };

/** What a report says beside its title and description; people leave things out. */
function wordsOf(random: Random, { event, story, anonymous, createdAt }: Telling) {
  const before = random.whole(2, random.chance(0.8) ? 60 : 480) * 5 * 60_000;
  const five = 5 * 60_000;
  return {
    type: random.chance(0.88) ? KINDS[story.kind] : null,
    contact_method: anonymous
      ? random.weighted([
          ["no_contact", 8],
          ["email", 2],
        ] as const)
      : random.weighted([
          ["email", 7],
          ["phone", 2],
          ["in_person", 3],
          ["no_contact", 1],
        ] as const),
    incident_at: random.chance(0.85)
      ? new Date(Math.floor((createdAt.getTime() - before) / five) * five)
      : null,
    location: random.chance(0.88) ? random.pick(story.spots ?? SPOTS[event.setting]) : null,
    parties: story.thing ? null : random.say(random.pick(PARTIES[event.setting])) || null,
  };
}

const columnsOf = (life: Life) => ({
  state: life.state,
  severity: life.severity,
  assigned_responder_id: life.assignedResponderId,
  resolution: life.resolution,
  resolution_internal: life.resolution !== null,
  first_response_at: life.firstResponseAt,
  resolved_at: life.resolvedAt,
  escalated_at: life.escalatedAt,
  reopened_at: life.reopenedAt,
  updated_at: life.updatedAt,
});

const byTime = (a: Change, b: Change) => a.at.getTime() - b.at.getTime();

const historyRow = (random: Random, incident: IncidentRow, change: Change): HistoryRow => ({
  id: random.uuid(),
  incident_id: incident.id,
  event_id: incident.event_id,
  actor_id: change.actorId,
  action: change.action,
  from_value: change.from,
  to_value: change.to,
  created_at: change.at,
});

const noteRow = (random: Random, incident: IncidentRow, note: Life["notes"][number]): TeamNoteRow => ({
  id: random.uuid(),
  incident_id: incident.id,
  author_id: note.authorId,
  body: note.body,
  created_at: note.at,
  updated_at: note.at,
});

/** Everybody of a team has pinned a few reports that are not done; reporters one of their own. */
function pins(random: Random, incidents: readonly IncidentRow[], roles: readonly EventRoleRow[]): PinRow[] {
  return roles.flatMap(({ event_id, user_id, role_name }) => {
    const open = incidents.filter((one) => one.event_id === event_id && one.resolved_at === null);
    const own = open.filter((one) => role_name !== "Reporter" || one.reporter_id === user_id);
    const chosen = random.shuffled(own).slice(0, role_name === "Reporter" ? 1 : random.whole(1, 3));
    return chosen.map((one) => ({ user_id, incident_id: one.id, event_id, created_at: one.updated_at }));
  });
}
