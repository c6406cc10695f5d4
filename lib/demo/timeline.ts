import { standingAfter, type Move, type Standing } from "#lib/incidents/lifecycle.ts";
import type { Severity } from "#lib/incidents/schema.ts";
import type { Random } from "./random.ts";
import type { Kind } from "#lib/incidents/kinds.ts";
import {
  IN_BETWEEN,
  ON_CLOSING,
  ON_INVESTIGATING,
  ON_RECEIPT,
  ON_REOPENING,
  RESOLUTIONS,
} from "./team-words.ts";

/** The life of one report: what was done with it, when and by whom, by the rules of lib/incidents/lifecycle.ts. */

export type Change = {
  at: Date;
  actorId: string | null;
  action: string;
  from: string | null;
  to: string | null;
};
export type Note = { at: Date; authorId: string; body: string };
export type Life = Standing & { updatedAt: Date; history: Change[]; notes: Note[] };

type Birth = {
  kind: Kind;
  createdAt: Date;
  reporterId: string | null;
  /** What the story wants the team to write, where its kind does not do. */
  looking?: readonly string[] | undefined;
  resolved?: readonly string[] | undefined;
  /** What the reporter said, and what the team will make of it; null where nobody says anything. */
  severity: { reported: Severity | null; judged: Severity | null };
};

type Surroundings = {
  now: Date;
  /** Ids of Responders and Admins of the event. */
  team: readonly string[];
  /** While an event runs, the team is at hand. */
  swift: boolean;
  deadlineHours: number;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Lives a report through up to now: what lies after that has not happened yet. */
export function liveThrough(random: Random, birth: Birth, around: Surroundings): Life {
  const life = new Living(birth, around);
  let at = birth.createdAt.getTime();
  for (const step of plan(random, birth, around)) {
    at = awake(random, at + step.afterMs);
    if (at > around.now.getTime()) break;
    life.take(step, new Date(at));
  }
  return life.end();
}

/** Nobody works at night: what would come then comes in the morning. */
function awake(random: Random, time: number): number {
  const hour = new Date(time).getUTCHours();
  return hour >= 7 ? time : time + (7 - hour + random.whole(0, 1)) * HOUR + random.whole(0, 600) * 1000;
}

type Step = {
  afterMs: number;
  actorId: string;
  action: "state" | "reopen";
  move: Move;
  note: string | null;
};

class Living {
  readonly #birth: Birth;
  readonly #around: Surroundings;
  readonly #history: Change[] = [];
  readonly #notes: Note[] = [];
  #standing: Standing;
  #updatedAt: Date;

  constructor(birth: Birth, around: Surroundings) {
    this.#birth = birth;
    this.#around = around;
    this.#updatedAt = birth.createdAt;
    this.#standing = {
      ...UNTOUCHED,
      severity: birth.severity.reported,
      escalatedAt: birth.severity.reported === "critical" ? birth.createdAt : null,
    };
    this.#tell(birth.createdAt, birth.reporterId, { action: "submitted", from: null, to: "submitted" });
  }

  /** As a change over the API does it: the record, a history entry for each thing that differs, the note. */
  take({ actorId, action, move, note }: Step, at: Date): void {
    this.#passDeadline(at);
    const before = this.#standing;
    const resolution = move.state === "resolved" && !before.resolution ? { resolution: note } : {};
    const after = standingAfter(before, { ...move, ...resolution }, at);
    const told = (name: string, from: string | null, to: string | null) =>
      from === to ? undefined : this.#tell(at, actorId, { action: name, from, to });
    told(action, before.state, after.state);
    told("assignee", before.assignedResponderId, after.assignedResponderId);
    told("severity", before.severity, after.severity);
    told("resolution", before.resolution, after.resolution);
    if (note) {
      this.#tell(at, actorId, { action: "note", from: null, to: null });
      this.#notes.push({ at, authorId: actorId, body: note });
    }
    this.#standing = after;
    this.#updatedAt = at;
  }

  end(): Life {
    this.#passDeadline(this.#around.now);
    return { ...this.#standing, updatedAt: this.#updatedAt, history: this.#history, notes: this.#notes };
  }

  /** A report that nobody has answered in time is escalated, by the service itself. */
  #passDeadline(upTo: Date): void {
    const { state, escalatedAt } = this.#standing;
    const hours = this.#around.deadlineHours;
    // The job that looks for late reports comes by every few minutes.
    const due = new Date(this.#birth.createdAt.getTime() + hours * HOUR + 3 * MINUTE);
    if (state !== "submitted" || escalatedAt || due > upTo) return;
    this.#tell(due, null, { action: "deadline", from: null, to: `${hours} h` });
    this.#standing = { ...this.#standing, escalatedAt: due };
    this.#updatedAt = due;
  }

  #tell(at: Date, actorId: string | null, entry: Pick<Change, "action" | "from" | "to">): void {
    this.#history.push({ at, actorId, ...entry });
  }
}

const UNTOUCHED: Standing = {
  state: "submitted",
  severity: null,
  assignedResponderId: null,
  resolution: null,
  firstResponseAt: null,
  resolvedAt: null,
  escalatedAt: null,
  reopenedAt: null,
};

type Course =
  | "waiting"
  | "acknowledged"
  | "investigating"
  | "resolved"
  | "resolvedSoon"
  | "closed"
  | "closedAtOnce"
  | "reopened"
  | "reopenedLater";

/** How far a report would get if it had all the time in the world. */
const COURSES: readonly (readonly [Course, number])[] = [
  ["closed", 42],
  ["resolved", 22],
  ["resolvedSoon", 12],
  ["investigating", 5],
  ["acknowledged", 4],
  ["closedAtOnce", 5],
  ["reopened", 6],
  ["reopenedLater", 3],
  ["waiting", 1],
];

/** Hardly anything stays undone for months. */
const LONG_AGO_MS = 60 * 24 * HOUR;
const COURSES_LONG_AGO: readonly (readonly [Course, number])[] = [
  ["closed", 58],
  ["resolved", 18],
  ["resolvedSoon", 12],
  ["closedAtOnce", 5],
  ["reopened", 5],
  ["reopenedLater", 1],
  ["investigating", 1],
];

function plan(random: Random, birth: Birth, around: Surroundings): Step[] {
  const age = around.now.getTime() - birth.createdAt.getTime();
  const course = random.weighted(age > LONG_AGO_MS ? COURSES_LONG_AGO : COURSES);
  if (course === "waiting") return [];
  const team = new Team(random, birth, around);
  const first = course === "closedAtOnce" ? [team.close()] : [team.acknowledge(), ...team.judge()];
  switch (course) {
    case "acknowledged":
    case "closedAtOnce":
      return first;
    case "investigating":
      return [...first, team.investigate(), ...team.between()];
    case "resolvedSoon":
      return [...first, team.resolve(), team.close()];
    case "resolved":
      return [...first, team.investigate(), ...team.between(), team.resolve()];
    case "closed":
      return [...first, team.investigate(), ...team.between(), team.resolve(), team.close()];
    case "reopened":
      return [
        ...first,
        team.investigate(),
        team.resolve(),
        team.reopen("taken"),
        ...team.between(),
        team.resolve(),
      ];
    case "reopenedLater":
      return [...first, team.resolve(), team.close(), team.reopen("untaken")];
  }
}

/** The people who deal with one report, with a typical time for each of their steps. */
class Team {
  readonly #random: Random;
  readonly #birth: Birth;
  readonly #around: Surroundings;
  #lead: string;

  constructor(random: Random, birth: Birth, around: Surroundings) {
    this.#random = random;
    this.#birth = birth;
    this.#around = around;
    this.#lead = random.pick(around.team);
  }

  acknowledge(): Step {
    const usual = this.#around.swift ? this.#hours(0.1, 2.5) : this.#hours(0.3, 14);
    const late = this.#random.chance(0.06);
    const note = this.#random.chance(0.55) ? this.#say(ON_RECEIPT) : null;
    const assigned = this.#random.chance(0.3) ? { assignedResponderId: this.#lead } : {};
    return this.#step(late ? this.#hours(25, 60) : usual, { state: "acknowledged", ...assigned }, note);
  }

  /** Weighs it, mostly right after reading it. */
  judge(): Step[] {
    const { judged } = this.#birth.severity;
    if (judged === null || judged === this.#birth.severity.reported) return [];
    return [this.#step(this.#hours(0.02, 0.4), { severity: judged }, null)];
  }

  investigate(): Step {
    const afterMs = this.#around.swift ? this.#hours(0.1, 3) : this.#hours(0.5, 26);
    const note = this.#say(this.#birth.looking ?? ON_INVESTIGATING[this.#birth.kind]);
    return this.#step(afterMs, { state: "investigating", assignedResponderId: this.#lead }, note);
  }

  /** Sometimes a word in between, sometimes somebody else takes over. What is unsafe is mended without further talk. */
  between(): Step[] {
    const steps: Step[] = [];
    if (this.#birth.kind === "safety") return steps;
    if (this.#random.chance(0.35)) steps.push(this.#step(this.#hours(0.5, 20), {}, this.#say(IN_BETWEEN)));
    if (this.#random.chance(0.12)) {
      this.#lead = this.#random.pick(this.#around.team.filter((id) => id !== this.#lead));
      steps.push(this.#step(this.#hours(1, 12), { assignedResponderId: this.#lead }, null));
    }
    return steps;
  }

  resolve(): Step {
    const afterMs = this.#around.swift ? this.#hours(0.4, 9) : this.#hours(6, 190);
    return this.#step(
      afterMs,
      { state: "resolved" },
      this.#say(this.#birth.resolved ?? RESOLUTIONS[this.#birth.kind]),
    );
  }

  close(): Step {
    const note = this.#random.chance(0.6) ? this.#say(ON_CLOSING) : null;
    return this.#step(this.#hours(40, 330), { state: "closed" }, note);
  }

  reopen(how: "taken" | "untaken"): Step {
    const move: Move =
      how === "taken"
        ? { state: "investigating", assignedResponderId: this.#lead }
        : { state: "acknowledged" };
    return { ...this.#step(this.#hours(20, 160), move, this.#say(ON_REOPENING)), action: "reopen" };
  }

  /** Mostly the one in charge, now and then somebody who has the shift. */
  #step(afterMs: number, move: Move, note: string | null): Step {
    const actorId = this.#random.chance(0.8) ? this.#lead : this.#random.pick(this.#around.team);
    return { afterMs, actorId, action: "state", move, note };
  }

  #say(patterns: readonly string[]): string {
    const anonymous = this.#birth.reporterId === null;
    // Nobody can have talked with the reporter of an anonymous report.
    const fitting = patterns.filter((pattern) => !(anonymous ? /reporter/i : /anonym/i).test(pattern));
    return this.#random.say(this.#random.pick(fitting));
  }

  /** Short times are likelier than long ones. In milliseconds, whole seconds. */
  #hours(least: number, most: number): number {
    const share = this.#random.number() ** 2;
    return Math.round(((least + (most - least) * share) * HOUR) / 1000) * 1000;
  }
}
