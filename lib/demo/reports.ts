import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { DAY_MS, type DemoCalendar } from "./calendar.ts";
import { generateDemoConversation } from "./conversation.ts";
import { FILE_DESCRIPTIONS } from "./message-texts.ts";
import { DEMO_EVENTS, INCIDENT_LOCATIONS, type DemoEvent } from "./places.ts";
import { createRandom, type RandomSource } from "./random.ts";
import type {
  DemoEventRoleRow,
  DemoEventRow,
  DemoIncidentHistoryRow,
  DemoIncidentRow,
  DemoMessageRow,
  DemoPinnedIncidentRow,
  DemoTeamNoteRow,
} from "./rows.ts";
import { NARRATIVE_ENDINGS, INVOLVED_PARTIES, REPORT_STORIES } from "./stories.ts";
import type { EvidenceKind, ReportStory } from "./stories/story.ts";
import { simulateLifecycle, type SimulatedHistoryEntry, type SimulatedLifecycle } from "./timeline.ts";

/** The reports of the demo world and their lifecycles. */

/** A file that is created later; `seed` determines its content. */
export type DemoFilePlan = {
  incident: Pick<DemoIncidentRow, "id" | "event_id" | "title" | "description" | "reporter_id" | "created_at">;
  kind: EvidenceKind;
  seed: number;
  /** The sender's description of the file, if any. */
  shows: string | null;
};

export type DemoReports = {
  incidents: DemoIncidentRow[];
  history: DemoIncidentHistoryRow[];
  notes: DemoTeamNoteRow[];
  /** Messages between team and reporter. Their history entries are created when the rows are inserted. */
  messages: DemoMessageRow[];
  pins: DemoPinnedIncidentRow[];
  files: DemoFilePlan[];
};

type ReportsContext = {
  events: DemoEventRow[];
  eventRoles: DemoEventRoleRow[];
  calendar: DemoCalendar;
  deadlineHours: number;
};

/** Shares of all reports. */
const ANONYMOUS_SHARE = 0.18;
const TEAM_REPORTER_SHARE = 0.05;
const NO_SEVERITY_SHARE = 0.08;
const RETITLED_SHARE = 0.05;
/** The share of reports with a file, among those whose story may have one. */
const FILES_SHARE = 0.5;
const FILE_DESCRIPTION_SHARE = 0.7;
/** Reporters of open reports who wait for a reply. */
const MIN_WAITING_REPORTERS = 3;

/** Messages have their own random sequence, so that changing them doesn't change the reports. */
const MESSAGES_SEED = 4_711;

export function generateDemoReports(random: RandomSource, context: ReportsContext): DemoReports {
  const generator = new ReportGenerator(random, context);
  for (const row of context.events) generator.addEventReports(row);
  const { incidents, messages } = generator.reports;
  return {
    ...generator.reports,
    messages: dropNewestReplies(messages, incidents),
    pins: createPins(random, incidents, context.eventRoles),
  };
}

/**
 * Removes the newest replies in open reports, so that at least `MIN_WAITING_REPORTERS` reporters wait for a reply, on
 * whatever day the demo is filled.
 */
function dropNewestReplies(
  messages: readonly DemoMessageRow[],
  incidents: readonly DemoIncidentRow[],
): DemoMessageRow[] {
  const conversations = incidents
    .filter(({ resolved_at }) => resolved_at === null)
    .map(({ id, reporter_id }) => ({
      reporterId: reporter_id,
      latest: messages.filter(({ incident_id }) => incident_id === id).slice(-2),
    }));
  const waiting = conversations.filter(({ reporterId, latest }) => latest.at(-1)?.author_id === reporterId);
  const replies = conversations.flatMap(({ reporterId, latest: [question, reply] }) =>
    question && reply && question.author_id === reporterId && reply.author_id !== reporterId
      ? [{ reply, questionTime: question.created_at.getTime() }]
      : [],
  );
  const newest = replies.toSorted((a, b) => b.questionTime - a.questionTime);
  const dropped = new Set(
    newest.slice(0, Math.max(0, MIN_WAITING_REPORTERS - waiting.length)).map(({ reply }) => reply),
  );
  return messages.filter((message) => !dropped.has(message));
}

class ReportGenerator {
  readonly reports: Omit<DemoReports, "pins"> = {
    incidents: [],
    history: [],
    notes: [],
    messages: [],
    files: [],
  };
  readonly #random: RandomSource;
  readonly #messageRandom = createRandom(MESSAGES_SEED);
  readonly #context: ReportsContext;
  /** The titles and descriptions used so far, so that no text appears twice. */
  readonly #usedTexts = new Set<string>();

  constructor(random: RandomSource, context: ReportsContext) {
    this.#random = random;
    this.#context = context;
  }

  /** Adds the reports of an event. Every story that fits the setting is used once before any is repeated. */
  addEventReports(row: DemoEventRow): void {
    const random = this.#random;
    const event = DEMO_EVENTS.find(({ slug }) => slug === row.slug) as DemoEvent;
    const fitting = REPORT_STORIES.filter(({ where }) => where.includes(event.setting));
    let deck: ReportStory[] = [];
    for (const createdAt of drawReportTimes(random, event, this.#context.calendar)) {
      if (deck.length === 0) deck = random.shuffled(fitting);
      this.#addReport(row, { event, story: deck.pop() as ReportStory, createdAt });
    }
  }

  #addReport(
    row: DemoEventRow,
    { event, story, createdAt }: { event: DemoEvent; story: ReportStory; createdAt: Date },
  ): void {
    const random = this.#random;
    const id = random.uuid();
    const reporterId = this.#pickReporter(row.id);
    const lifecycle = this.#simulate(row, { story, createdAt, reporterId });
    const title = this.#pickUnusedText(story.titles);
    const retitled =
      random.chance(RETITLED_SHARE) &&
      this.#retitle(lifecycle, { createdAt, title, former: this.#pickUnusedText(story.titles) });
    const incident: DemoIncidentRow = {
      ...buildDetails(random, { event, story, anonymous: reporterId === null, createdAt }),
      ...buildLifecycleColumns(lifecycle),
      id,
      event_id: row.id,
      title,
      description: this.#description(story),
      reporter_id: reporterId,
      created_at: createdAt,
    };
    const history = retitled ? [...lifecycle.history, retitled] : lifecycle.history;
    this.reports.incidents.push(incident);
    this.reports.history.push(
      ...history.toSorted(compareByTime).map((change) => buildHistoryRow(random, incident, change)),
    );
    this.reports.notes.push(...lifecycle.notes.map((note) => noteRow(random, incident, note)));
    this.reports.files.push(...this.#planFiles(incident, story));
    this.reports.messages.push(...this.#createMessages(incident, { story, life: lifecycle }));
  }

  /** Anonymous reporters can't receive messages, and nobody writes to reporters who asked not to be contacted. */
  #createMessages(
    incident: DemoIncidentRow,
    { story, life: lifecycle }: { story: ReportStory; life: SimulatedLifecycle },
  ): DemoMessageRow[] {
    const { reporter_id: reporterId, contact_method: contact } = incident;
    const onTeam = this.#context.eventRoles.some(
      (role) =>
        role.event_id === incident.event_id && role.user_id === reporterId && role.role_name !== "Reporter",
    );
    if (!reporterId || onTeam || contact === "no_contact") return [];
    const { now } = this.#context.calendar;
    return generateDemoConversation(this.#messageRandom, {
      story,
      reporterId,
      history: lifecycle.history,
      now,
    }).map(({ at, authorId, body }) => ({
      id: this.#messageRandom.uuid(),
      incident_id: incident.id,
      author_id: authorId,
      body,
      created_at: at,
      updated_at: at,
    }));
  }

  #pickReporter(eventId: string): string | null {
    const random = this.#random;
    if (random.chance(ANONYMOUS_SHARE)) return null;
    const roles = this.#context.eventRoles.filter(({ event_id }) => event_id === eventId);
    const team = random.chance(TEAM_REPORTER_SHARE);
    const candidates = roles.filter(({ role_name }) => (role_name === "Reporter") !== team);
    // The first candidate is the demo account to sign in with, which should have something to show.
    const [first] = candidates as [DemoEventRoleRow];
    return !team && random.chance(0.08) ? first.user_id : random.pick(candidates).user_id;
  }

  #simulate(
    row: DemoEventRow,
    { story, createdAt, reporterId }: { story: ReportStory; createdAt: Date; reporterId: string | null },
  ): SimulatedLifecycle {
    const random = this.#random;
    const team = this.#context.eventRoles.filter(
      ({ event_id, role_name }) => event_id === row.id && role_name !== "Reporter",
    );
    const short = row.end_date !== null && row.end_date.getTime() - row.start_date.getTime() < 10 * DAY_MS;
    const severity = {
      reported: random.chance(0.3) ? random.pick(story.severity) : null,
      judged: random.chance(NO_SEVERITY_SHARE) ? null : random.pick(story.severity),
    };
    return simulateLifecycle(
      random,
      {
        kind: story.kind,
        investigationNotes: story.investigationNotes,
        resolutionNotes: story.resolutionNotes,
        createdAt,
        reporterId,
        severity,
      },
      {
        now: this.#context.calendar.now,
        team: team.map(({ user_id }) => user_id),
        swift: short && createdAt >= row.start_date && createdAt <= (row.end_date as Date),
        deadlineHours: this.#context.deadlineHours,
      },
    );
  }

  /** Renames some reports: a team member changed a first title that said too much or too little. */
  #retitle(
    lifecycle: SimulatedLifecycle,
    { createdAt, title, former }: { createdAt: Date; title: string; former: string },
  ): SimulatedHistoryEntry | null {
    const at = new Date(createdAt.getTime() + this.#random.integer(600, 9000) * 1000);
    const actorId = lifecycle.history.find(({ actorId }, index) => index > 0 && actorId)?.actorId;
    if (!actorId || at > this.#context.calendar.now) return null;
    lifecycle.updatedAt = new Date(Math.max(lifecycle.updatedAt.getTime(), at.getTime()));
    return { at, actorId, action: "title", from: former, to: title };
  }

  #description(story: ReportStory): string {
    const narrative = this.#pickUnusedText([story.description]);
    const ending = this.#random.pick(story.thing ? NARRATIVE_ENDINGS.slice(0, 4) : NARRATIVE_ENDINGS);
    return [narrative, ending].filter(Boolean).join(this.#random.chance(0.5) ? "\n\n" : " ");
  }

  #pickUnusedText(patterns: readonly string[]): string {
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const text = this.#random.say(this.#random.pick(patterns));
      if (this.#usedTexts.has(text)) continue;
      this.#usedTexts.add(text);
      return text;
    }
    throw new Error(`the story “${patterns[0]}” has too few words`);
  }

  #planFiles(incident: DemoIncidentRow, story: ReportStory): DemoFilePlan[] {
    const random = this.#random;
    if (!story.evidence || !random.chance(FILES_SHARE)) return [];
    const kinds = random.shuffled(story.evidence).slice(0, random.integer(1, 2));
    return kinds.map((kind) => ({
      incident,
      kind,
      seed: random.integer(1, 2 ** 31),
      shows: this.#messageRandom.chance(FILE_DESCRIPTION_SHARE)
        ? this.#messageRandom.say(this.#messageRandom.pick(FILE_DESCRIPTIONS[kind]))
        : null,
    }));
  }
}

/**
 * Generates the creation times of an event's reports, oldest first. The newest ones of a running event are minutes old.
 */
function drawReportTimes(random: RandomSource, event: DemoEvent, calendar: DemoCalendar): Date[] {
  const unsortedTimes = event.reports.flatMap(({ from, to, count }) =>
    Array.from({ length: count }, () => drawReportTime(random, { from, to }, calendar)),
  );
  const times = unsortedTimes.toSorted((a, b) => a - b);
  const running = event.startDay < 0 && event.endDay !== null && event.reports.some(({ to }) => to === 0);
  if (running) times.splice(-2, 2, calendar.now.getTime() - 47 * 60_000, calendar.now.getTime() - 9 * 60_000);
  return times
    .toSorted((a, b) => a - b)
    .map((time) => new Date(Math.floor(time / 1000) * 1000 + random.integer(0, 999)));
}

/** Picks a time in waking hours, evenings more often than mornings, and never in the future. */
function drawReportTime(
  random: RandomSource,
  { from, to }: { from: number; to: number },
  calendar: DemoCalendar,
): number {
  const latest = calendar.now.getTime() - 5 * 60_000;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const hour = 9 + 14 * Math.sqrt(random.number());
    const time = calendar.at(random.integer(from, to), hour).getTime();
    if (time <= latest) return time;
  }
  return latest - random.integer(0, 6 * 3600) * 1000;
}

type DetailsContext = { event: DemoEvent; story: ReportStory; anonymous: boolean; createdAt: Date };

/** Generates the fields of a report other than title and description. Some stay blank, as in real reports. */
function buildDetails(random: RandomSource, { event, story, anonymous, createdAt }: DetailsContext) {
  const before = random.integer(2, random.chance(0.8) ? 60 : 480) * 5 * 60_000;
  const five = 5 * 60_000;
  return {
    type: random.chance(0.88) ? STORED_TYPE_BY_INCIDENT_KIND[story.kind] : null,
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
    location: random.chance(0.88) ? random.pick(story.spots ?? INCIDENT_LOCATIONS[event.setting]) : null,
    parties: story.thing ? null : random.say(random.pick(INVOLVED_PARTIES[event.setting])) || null,
  };
}

const buildLifecycleColumns = (lifecycle: SimulatedLifecycle) => ({
  state: lifecycle.state,
  severity: lifecycle.severity,
  assigned_responder_id: lifecycle.assignedResponderId,
  resolution: lifecycle.resolution,
  first_response_at: lifecycle.firstResponseAt,
  resolved_at: lifecycle.resolvedAt,
  escalated_at: lifecycle.escalatedAt,
  reopened_at: lifecycle.reopenedAt,
  updated_at: lifecycle.updatedAt,
});

const compareByTime = (a: SimulatedHistoryEntry, b: SimulatedHistoryEntry) => a.at.getTime() - b.at.getTime();

const buildHistoryRow = (
  random: RandomSource,
  incident: DemoIncidentRow,
  change: SimulatedHistoryEntry,
): DemoIncidentHistoryRow => ({
  id: random.uuid(),
  incident_id: incident.id,
  event_id: incident.event_id,
  actor_id: change.actorId,
  action: change.action,
  from_value: change.from,
  to_value: change.to,
  created_at: change.at,
});

const noteRow = (
  random: RandomSource,
  incident: DemoIncidentRow,
  note: SimulatedLifecycle["notes"][number],
): DemoTeamNoteRow => ({
  id: random.uuid(),
  incident_id: incident.id,
  author_id: note.authorId,
  body: note.body,
  created_at: note.at,
  updated_at: note.at,
});

/** Creates pins: a few open reports for each team member, and one of their own for each reporter. */
function createPins(
  random: RandomSource,
  incidents: readonly DemoIncidentRow[],
  roles: readonly DemoEventRoleRow[],
): DemoPinnedIncidentRow[] {
  return roles.flatMap(({ event_id, user_id, role_name }) => {
    const open = incidents.filter((one) => one.event_id === event_id && one.resolved_at === null);
    const own = open.filter((one) => role_name !== "Reporter" || one.reporter_id === user_id);
    const chosen = random.shuffled(own).slice(0, role_name === "Reporter" ? 1 : random.integer(1, 3));
    return chosen.map((one) => ({ user_id, incident_id: one.id, event_id, created_at: one.updated_at }));
  });
}
