import type { Prisma } from "#lib/generated/prisma/client.ts";
import type { Incident } from "#lib/generated/prisma/client.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { drawCodeNames, drawNumbers } from "#lib/crypto/code-name.ts";
import { computeWorkflowFieldsAfterChange } from "#lib/incidents/lifecycle.ts";
import {
  EDITED_FIELD_NAMES,
  EDITED_FIELDS,
  NEW_REPORT_FIELDS,
  type WorkflowFields,
} from "#lib/incidents/workflow-fields.ts";
import type { EventRole } from "#lib/operation/actor.ts";
import * as data from "./data.ts";
import { createRandom } from "./random.ts";
import type { DemoContext, RoleHolder } from "./world.ts";

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;
const CONTACT_WISHES = ["email", "email", "email", "phone", "in_person", "no_contact"] as const;

/** Who is at an event; `team` and `guests` are the ids of those who handle and of those who send reports. */
type EventPeople = { eventId: string; holders: RoleHolder<EventRole>[]; team: string[]; guests: string[] };
type Plan = EventPeople & {
  event: data.DemoEvent;
  createdAt: Date;
  story: data.DemoStory;
  course: data.DemoCourse;
  reporterId: string | null;
  contactMethod: (typeof CONTACT_WISHES)[number];
};
/** A file to create; `seed` determines what it shows. */
export type DemoFile = {
  incident: Pick<Incident, "id" | "eventId" | "title" | "description" | "reporterId" | "createdAt">;
  kind: data.EvidenceKind;
  seed: number;
  description: string | null;
};

/** Adds the reports of an event, oldest first. Stories, courses and reporters are dealt like cards. */
export function addReports(event: data.DemoEvent, people: EventPeople, context: DemoContext): void {
  const { random } = context;
  const { guests, team } = people;
  const stories = data.DEMO_STORIES.filter(({ places }) => places.includes(event.place));
  const courses = data.DEMO_COURSES.flatMap((course) => Array.from({ length: course.share }, () => course));
  // One report in six is anonymous.
  const anonymous = guests.filter((_, index) => index % 5 === 0).map(() => null);
  const dealStory = random.createDealer(stories);
  const dealCourse = random.createDealer(courses);
  const dealReporter = random.createDealer([...guests, ...team.slice(0, 2), ...anonymous]);
  for (const { createdAt, course, reporter } of listReportTimes(event, context)) {
    const named = context.people.find(({ email }) => email === reporter)?.id;
    const reporterId = named ?? (course ? random.pick(guests) : dealReporter());
    const contactMethod = !reporterId ? "no_contact" : course ? "email" : random.pick(CONTACT_WISHES);
    const plan = { event, createdAt, reporterId, contactMethod, story: dealStory() };
    addReport({ ...people, ...plan, course: course ?? dealCourse() }, context);
  }
}

/** Lists when reports come in: in waking hours, evenings more often than mornings, and never in the future. */
function listReportTimes({ reports }: data.DemoEvent, { random, now, at }: DemoContext) {
  const times = reports.flatMap(({ fromDay = 0, toDay = 0, count = 1, hoursAgo, course: name, reporter }) => {
    const given = { course: data.DEMO_COURSES.find((one) => one.name === name), reporter };
    return Array.from({ length: count }, () => {
      if (hoursAgo !== undefined)
        return { ...given, createdAt: new Date(now.getTime() - hoursAgo * HOUR_MS) };
      const time = at(random.integer(fromDay, toDay), 9 + 14 * Math.sqrt(random.number())).getTime();
      return { ...given, createdAt: new Date(time < now.getTime() - HOUR_MS ? time : time - 24 * HOUR_MS) };
    });
  });
  return times.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Draws the number and the code name of a report, the same for the same id. */
function drawNames(id: string, others: DemoContext["rows"]["incidents"]) {
  const random = createRandom(Number.parseInt(id.slice(0, 8), 16));
  const draw = (from: number, to: number) => random.integer(from, to - 1);
  const [codeName = ""] = drawCodeNames(12, draw).filter((name) =>
    others.every((one) => one.codeName !== name),
  );
  const [number = 0] = drawNumbers(12, draw).filter((drawn) => others.every((one) => one.number !== drawn));
  return { codeName, number };
}

/** Adds a report with all that was done with it. Some fields stay blank, as in real reports. */
function addReport(plan: Plan, context: DemoContext): void {
  const { story, event, eventId, team, createdAt, reporterId, contactMethod } = plan;
  const { rows, files, random, said } = context;
  const { id, title, updatedAt, workflow, lastMessage } = new Report(plan, context);
  const narrative = random.sayNew([story.description], said);
  const ending = random.pick(data.listDemoTexts(story, "endings", reporterId ? "report" : "anonymous"));
  const description = random.chance(0.6) ? narrative : `${narrative}\n\n${ending}`;
  const incident = { id, eventId, title, description, reporterId, createdAt };
  const time = createdAt.getTime() - random.integer(2, random.chance(0.8) ? 60 : 480) * FIVE_MINUTES_MS;
  const rounded = new Date(Math.floor(time / FIVE_MINUTES_MS) * FIVE_MINUTES_MS);
  rows.incidents.push({
    ...incident,
    ...drawNames(id, rows.incidents),
    ...workflow,
    ...lastMessage,
    contactMethod,
    updatedAt,
    type: random.chance(0.88) ? STORED_TYPE_BY_INCIDENT_KIND[story.kind] : null,
    incidentAt: random.chance(0.85) ? rounded : null,
    location: random.chance(0.88) ? random.pick(story.locations ?? event.at.locations) : null,
    parties: story.thing || random.chance(0.2) ? null : random.say(random.pick(event.at.parties)),
  });
  rows.conversations.push({ id, incidentId: id, party: "reporter", createdAt });
  // Open reports are pinned by one or two of the team, and by their reporters.
  const pinners = new Set([random.pick(team), random.pick(team), ...(reporterId ? [reporterId] : [])]);
  for (const userId of workflow.resolvedAt ? [] : pinners)
    rows.pins.push({ userId, incidentId: id, eventId, createdAt: updatedAt });
  if (random.chance(0.6)) return;
  for (const kind of (story.files ?? []).slice(0, random.integer(1, 2))) {
    const caption = random.say(random.pick(data.listDemoTexts(story, "captions", kind)));
    const seed = random.integer(1, 2 ** 31);
    files.push({ incident, kind, seed, description: random.chance(0.7) ? caption : null });
  }
}

type Act = { actorId: string | null; createdAt: Date };
type Change = { action: string; fromValue?: string | null; toValue?: string | null; objectId?: string };

/** A report and the steps of its course that lie before now, by the rules of lib/incidents/lifecycle.ts. */
class Report {
  readonly id: string;
  title: string;
  workflow: WorkflowFields;
  updatedAt: Date;
  /** Who wrote last, to or from the reporter. */
  lastMessage: Pick<Prisma.IncidentCreateManyInput, "lastMessageAt" | "lastMessageFrom"> = {};
  readonly #plan: Plan;
  readonly #context: DemoContext;
  readonly #said = new Set<string>();
  #lead = "";

  constructor(plan: Plan, context: DemoContext) {
    const { story, course, event, createdAt, reporterId } = plan;
    const { random, now, said } = context;
    this.id = random.uuid();
    this.#plan = plan;
    this.#context = context;
    this.#lead = this.#pickColleague();
    this.title = random.sayNew(story.titles, said);
    // A reporter says "critical" when somebody is in danger now.
    const stated = story.severity.filter((severity) => severity !== "critical");
    this.workflow = { ...NEW_REPORT_FIELDS, severity: random.chance(0.3) ? random.pick(stated) : null };
    this.updatedAt = createdAt;
    this.#record({ actorId: reporterId, createdAt }, { action: "submitted", toValue: "submitted" });
    let time = createdAt.getTime();
    for (const step of course.steps) {
      const [min, max] = step.hours;
      time += Math.ceil((min + (max - min) * random.number() ** 2) * event.pace * 3600) * 1000;
      // Nobody works at night.
      time += Math.max(0, 7 - new Date(time).getUTCHours()) * HOUR_MS;
      if (time >= now.getTime()) break;
      this.#escalateIfOverdue(new Date(time));
      this.#take(step, new Date(time));
    }
    this.#escalateIfOverdue(now);
  }

  #take(step: data.DemoStep, createdAt: Date): void {
    const { rows, random, said } = this.#context;
    const { story, guests, reporterId, contactMethod } = this.#plan;
    const act = {
      actorId: step.reply ? reporterId : step.by ? this.#pickColleague() : this.#lead,
      createdAt,
    };
    const note = step.note && this.#say("notes", step.note);
    this.#change(step, note ?? null, act);
    if (step.rename) {
      const fromValue = this.title;
      this.title = random.sayNew(story.titles, said);
      this.#record(act, { action: "title", fromValue, toValue: this.title });
    }
    if (note) rows.team_notes.push(this.#write("note", note, act));
    // The team writes to guests who gave their name and want to be contacted, and these reply.
    if (!guests.some((id) => id === reporterId) || contactMethod === "no_contact") return;
    const body = step.reply
      ? this.#say("replies", step.reply)
      : step.message && this.#say("messages", step.message);
    if (!body) return;
    const { incidentId: conversationId, ...message } = this.#write("message", body, act);
    const fromParty = step.reply !== undefined;
    const kind = step.state === undefined ? "message" : "outcome";
    rows.messages.push({ ...message, conversationId, fromParty, kind });
    this.lastMessage = { lastMessageAt: createdAt, lastMessageFrom: fromParty ? "reporter" : "team" };
  }

  /** Changes the record as a request does, with a history entry for each changed field. */
  #change({ state, assign, severity }: data.DemoStep, note: string | null, act: Act): void {
    const before = this.workflow;
    if (assign === "colleague") this.#lead = this.#pickColleague();
    const move = {
      ...(state && { state }),
      ...(assign && { assignedResponderId: this.#lead }),
      ...(severity && { severity: this.#context.random.pick(this.#plan.story.severity) }),
      ...(state === "resolved" && !before.resolution && { resolution: note }),
    };
    const after = computeWorkflowFieldsAfterChange(before, move, act.createdAt);
    this.workflow = after;
    const changes = [
      [before.resolvedAt && !after.resolvedAt ? "reopen" : "state", before.state, after.state],
      ...EDITED_FIELD_NAMES.map((name) => [EDITED_FIELDS[name].action, before[name], after[name]] as const),
    ] as const;
    for (const [action, fromValue, toValue] of changes)
      if (fromValue !== toValue) this.#record(act, { action, fromValue, toValue });
  }

  /** Escalates a report without a first response in time, as the service does within minutes. */
  #escalateIfOverdue(upTo: Date): void {
    const { deadlineHours } = this.#context;
    const due = new Date(this.#plan.createdAt.getTime() + (deadlineHours + 0.05) * HOUR_MS);
    if (this.workflow.state !== "submitted" || this.workflow.escalatedAt || due > upTo) return;
    this.workflow = { ...this.workflow, escalatedAt: due };
    this.#record({ actorId: null, createdAt: due }, { action: "deadline", toValue: `${deadlineHours} h` });
  }

  /** Adds to the history and, for the team, to the access log. Notes and messages aren't changes of the record. */
  #record(act: Act, change: Change): void {
    const { rows } = this.#context;
    const { eventId, holders, reporterId } = this.#plan;
    const about = { incidentId: this.id, eventId, actorId: act.actorId };
    rows.incident_history.push({ ...about, ...change, createdAt: act.createdAt });
    if (!change.objectId) this.updatedAt = act.createdAt;
    const role = holders.find(({ userId }) => userId === act.actorId)?.role;
    const last = rows.incident_access.at(-1);
    const isLogged =
      last?.incidentId === this.id && last.actorId === act.actorId && last.at === act.createdAt;
    if (role && act.actorId !== reporterId && !isLogged)
      rows.incident_access.push({ ...about, kind: "view", byRight: `event:${role}`, at: act.createdAt });
  }

  #write(action: "note" | "message", body: string, act: Act) {
    const id = this.#context.random.uuid();
    this.#record(act, { action, objectId: id });
    const times = { createdAt: act.createdAt, updatedAt: act.createdAt };
    return { id, incidentId: this.id, authorId: act.actorId, body, ...times };
  }

  /** Says nothing twice about a report, and nothing of talks with an anonymous reporter. */
  #say(part: string, occasion: string): string {
    const unfit = this.#plan.reporterId === null ? /reporter/i : /anonym/i;
    const patterns = data.listDemoTexts(this.#plan.story, part, occasion).filter((text) => !unfit.test(text));
    return this.#context.random.sayNew(patterns, this.#said);
  }

  #pickColleague(): string {
    const { team, reporterId } = this.#plan;
    return this.#context.random.pick(team.filter((id) => id !== this.#lead && id !== reporterId));
  }
}
