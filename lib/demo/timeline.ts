import {
  computeWorkflowFieldsAfterChange,
  type WorkflowChange,
  type WorkflowFields,
} from "#lib/incidents/lifecycle.ts";
import type { Severity } from "#lib/incidents/schema.ts";
import type { RandomSource } from "./random.ts";
import type { IncidentKind } from "#lib/incidents/kinds.ts";
import {
  PROGRESS_NOTES,
  CLOSING_NOTES,
  INVESTIGATION_NOTES,
  ACKNOWLEDGMENT_NOTES,
  REOPENING_NOTES,
  RESOLUTION_NOTES,
} from "./note-texts.ts";

/** The lifecycle of one report: what was done with it, when and by whom, by the rules of lib/incidents/lifecycle.ts. */

export type SimulatedHistoryEntry = {
  at: Date;
  actorId: string | null;
  action: string;
  from: string | null;
  to: string | null;
};
type LifecycleNote = { at: Date; authorId: string; body: string };
export type SimulatedLifecycle = WorkflowFields & {
  updatedAt: Date;
  history: SimulatedHistoryEntry[];
  notes: LifecycleNote[];
};

type InitialReport = {
  kind: IncidentKind;
  createdAt: Date;
  reporterId: string | null;
  /** The team's notes for this story, in place of the usual ones for its kind of incident. */
  investigationNotes?: readonly string[] | undefined;
  resolutionNotes?: readonly string[] | undefined;
  /** The severity that the reporter stated and the one that the team sets; null if not set. */
  severity: { reported: Severity | null; judged: Severity | null };
};

type SimulationContext = {
  now: Date;
  /** The ids of the event's Responders and Admins. */
  team: readonly string[];
  /** Whether a short event runs and its team is on site, which shortens reaction times. */
  swift: boolean;
  deadlineHours: number;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Simulates a report's lifecycle up to `now`; later steps are left out. */
export function simulateLifecycle(
  random: RandomSource,
  report: InitialReport,
  context: SimulationContext,
): SimulatedLifecycle {
  const simulation = new LifecycleSimulation(report, context);
  let at = report.createdAt.getTime();
  for (const step of planSteps(random, report, context)) {
    at = deferToMorning(random, at + step.afterMs);
    if (at > context.now.getTime()) break;
    simulation.applyStep(step, new Date(at));
  }
  return simulation.end();
}

/** Nobody works at night: a time at night moves to the morning. */
function deferToMorning(random: RandomSource, time: number): number {
  const hour = new Date(time).getUTCHours();
  return hour >= 7 ? time : time + (7 - hour + random.integer(0, 1)) * HOUR + random.integer(0, 600) * 1000;
}

type LifecycleStep = {
  afterMs: number;
  actorId: string;
  action: "state" | "reopen";
  move: WorkflowChange;
  note: string | null;
};

class LifecycleSimulation {
  readonly #report: InitialReport;
  readonly #context: SimulationContext;
  readonly #history: SimulatedHistoryEntry[] = [];
  readonly #notes: LifecycleNote[] = [];
  #workflow: WorkflowFields;
  #updatedAt: Date;

  constructor(report: InitialReport, context: SimulationContext) {
    this.#report = report;
    this.#context = context;
    this.#updatedAt = report.createdAt;
    this.#workflow = {
      ...INITIAL_WORKFLOW,
      severity: report.severity.reported,
      escalatedAt: report.severity.reported === "critical" ? report.createdAt : null,
    };
    this.#addHistory(report.createdAt, report.reporterId, {
      action: "submitted",
      from: null,
      to: "submitted",
    });
  }

  /**
   * Applies a step as a change through the API does: the record, a history entry for each changed field, and the note.
   */
  applyStep({ actorId, action, move, note }: LifecycleStep, at: Date): void {
    this.#escalateIfOverdue(at);
    const before = this.#workflow;
    const resolution = move.state === "resolved" && !before.resolution ? { resolution: note } : {};
    const after = computeWorkflowFieldsAfterChange(before, { ...move, ...resolution }, at);
    const recordIfChanged = (name: string, from: string | null, to: string | null) =>
      from === to ? undefined : this.#addHistory(at, actorId, { action: name, from, to });
    recordIfChanged(action, before.state, after.state);
    recordIfChanged("assignee", before.assignedResponderId, after.assignedResponderId);
    recordIfChanged("severity", before.severity, after.severity);
    recordIfChanged("resolution", before.resolution, after.resolution);
    if (note) {
      this.#addHistory(at, actorId, { action: "note", from: null, to: null });
      this.#notes.push({ at, authorId: actorId, body: note });
    }
    this.#workflow = after;
    this.#updatedAt = at;
  }

  end(): SimulatedLifecycle {
    this.#escalateIfOverdue(this.#context.now);
    return { ...this.#workflow, updatedAt: this.#updatedAt, history: this.#history, notes: this.#notes };
  }

  /** Escalates a report without a first response in time, as the service itself does. */
  #escalateIfOverdue(upTo: Date): void {
    const { state, escalatedAt } = this.#workflow;
    const hours = this.#context.deadlineHours;
    // The job that finds overdue reports runs every few minutes.
    const due = new Date(this.#report.createdAt.getTime() + hours * HOUR + 3 * MINUTE);
    if (state !== "submitted" || escalatedAt || due > upTo) return;
    this.#addHistory(due, null, { action: "deadline", from: null, to: `${hours} h` });
    this.#workflow = { ...this.#workflow, escalatedAt: due };
    this.#updatedAt = due;
  }

  #addHistory(
    at: Date,
    actorId: string | null,
    entry: Pick<SimulatedHistoryEntry, "action" | "from" | "to">,
  ): void {
    this.#history.push({ at, actorId, ...entry });
  }
}

const INITIAL_WORKFLOW: WorkflowFields = {
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
  | "acknowledged"
  | "investigating"
  | "resolved"
  | "resolvedSoon"
  | "closed"
  | "closedAtOnce"
  | "reopened"
  | "reopenedLater";

/** The courses that reports take, with their weights. A report that is too recent is still on its way. */
const COURSES: readonly (readonly [Course, number])[] = [
  ["closed", 42],
  ["resolved", 22],
  ["resolvedSoon", 12],
  ["investigating", 5],
  ["acknowledged", 5],
  ["closedAtOnce", 5],
  ["reopened", 6],
  ["reopenedLater", 3],
];

/** Reports older than this take `OLD_REPORT_COURSES`: hardly any of them is still open. */
const LONG_AGO_MS = 60 * 24 * HOUR;
const OLD_REPORT_COURSES: readonly (readonly [Course, number])[] = [
  ["closed", 58],
  ["resolved", 18],
  ["resolvedSoon", 12],
  ["closedAtOnce", 5],
  ["reopened", 5],
  ["reopenedLater", 1],
  ["investigating", 1],
];

function planSteps(random: RandomSource, report: InitialReport, context: SimulationContext): LifecycleStep[] {
  const age = context.now.getTime() - report.createdAt.getTime();
  const course = random.weighted(age > LONG_AGO_MS ? OLD_REPORT_COURSES : COURSES);
  const team = new Team(random, report, context);
  const first = course === "closedAtOnce" ? [team.close()] : [team.acknowledge(), ...team.setSeverity()];
  switch (course) {
    case "acknowledged":
    case "closedAtOnce":
      return first;
    case "investigating":
      return [...first, team.investigate(), ...team.continueInvestigation()];
    case "resolvedSoon":
      return [...first, team.resolve(), team.close()];
    case "resolved":
      return [...first, team.investigate(), ...team.continueInvestigation(), team.resolve()];
    case "closed":
      return [...first, team.investigate(), ...team.continueInvestigation(), team.resolve(), team.close()];
    case "reopened":
      return [
        ...first,
        team.investigate(),
        team.resolve(),
        team.reopen("taken"),
        ...team.continueInvestigation(),
        team.resolve(),
      ];
    case "reopenedLater":
      return [...first, team.resolve(), team.close(), team.reopen("untaken")];
  }
}

/** The people who handle one report, with typical times for their steps. */
class Team {
  readonly #random: RandomSource;
  readonly #report: InitialReport;
  readonly #context: SimulationContext;
  #lead: string;

  constructor(random: RandomSource, report: InitialReport, context: SimulationContext) {
    this.#random = random;
    this.#report = report;
    this.#context = context;
    this.#lead = random.pick(context.team);
  }

  acknowledge(): LifecycleStep {
    const usual = this.#context.swift ? this.#randomHoursMs(0.1, 1.5) : this.#randomHoursMs(0.2, 9);
    const late = this.#random.chance(0.03);
    const note = this.#random.chance(0.55) ? this.#expandPhrase(ACKNOWLEDGMENT_NOTES) : null;
    const assigned = this.#random.chance(0.3) ? { assignedResponderId: this.#lead } : {};
    return this.#step(
      late ? this.#randomHoursMs(25, 60) : usual,
      { state: "acknowledged", ...assigned },
      note,
    );
  }

  /** Sets the severity, usually right after reading the report. */
  setSeverity(): LifecycleStep[] {
    const { judged } = this.#report.severity;
    if (judged === null || judged === this.#report.severity.reported) return [];
    return [this.#step(this.#randomHoursMs(0.02, 0.4), { severity: judged }, null)];
  }

  investigate(): LifecycleStep {
    const afterMs = this.#context.swift ? this.#randomHoursMs(0.1, 3) : this.#randomHoursMs(0.5, 26);
    const note = this.#expandPhrase(
      this.#report.investigationNotes ?? INVESTIGATION_NOTES[this.#report.kind],
    );
    return this.#step(afterMs, { state: "investigating", assignedResponderId: this.#lead }, note);
  }

  /** Sometimes adds a note, and sometimes reassigns the report. Safety hazards are fixed without either. */
  continueInvestigation(): LifecycleStep[] {
    const steps: LifecycleStep[] = [];
    if (this.#report.kind === "safety") return steps;
    if (this.#random.chance(0.35))
      steps.push(this.#step(this.#randomHoursMs(0.5, 20), {}, this.#expandPhrase(PROGRESS_NOTES)));
    if (this.#random.chance(0.12)) {
      this.#lead = this.#random.pick(this.#context.team.filter((id) => id !== this.#lead));
      steps.push(this.#step(this.#randomHoursMs(1, 12), { assignedResponderId: this.#lead }, null));
    }
    return steps;
  }

  resolve(): LifecycleStep {
    const afterMs = this.#context.swift ? this.#randomHoursMs(0.4, 9) : this.#randomHoursMs(6, 190);
    return this.#step(
      afterMs,
      { state: "resolved" },
      this.#expandPhrase(this.#report.resolutionNotes ?? RESOLUTION_NOTES[this.#report.kind]),
    );
  }

  close(): LifecycleStep {
    const note = this.#random.chance(0.6) ? this.#expandPhrase(CLOSING_NOTES) : null;
    return this.#step(this.#randomHoursMs(40, 330), { state: "closed" }, note);
  }

  reopen(how: "taken" | "untaken"): LifecycleStep {
    const move: WorkflowChange =
      how === "taken"
        ? { state: "investigating", assignedResponderId: this.#lead }
        : { state: "acknowledged" };
    return {
      ...this.#step(this.#randomHoursMs(20, 160), move, this.#expandPhrase(REOPENING_NOTES)),
      action: "reopen",
    };
  }

  /** Usually the lead acts, sometimes another team member on shift. */
  #step(afterMs: number, move: WorkflowChange, note: string | null): LifecycleStep {
    const actorId = this.#random.chance(0.8) ? this.#lead : this.#random.pick(this.#context.team);
    return { afterMs, actorId, action: "state", move, note };
  }

  #expandPhrase(patterns: readonly string[]): string {
    const anonymous = this.#report.reporterId === null;
    // The team can't have spoken with the reporter of an anonymous report.
    const fitting = patterns.filter((pattern) => !(anonymous ? /reporter/i : /anonym/i).test(pattern));
    return this.#random.say(this.#random.pick(fitting));
  }

  /** Returns milliseconds in whole seconds. Short times are more likely than long ones. */
  #randomHoursMs(min: number, max: number): number {
    const share = this.#random.number() ** 2;
    return Math.round(((min + (max - min) * share) * HOUR) / 1000) * 1000;
  }
}
