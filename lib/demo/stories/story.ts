import type { IncidentKind } from "#lib/incidents/kinds.ts";
import type { Severity } from "#lib/incidents/schema.ts";
import type { DemoEventPlaceKind } from "../places.ts";

/** The kinds of files that a report may have. */
export type EvidenceKind = "photo" | "chat" | "plan" | "statement" | "notes";

export type ReportStory = {
  kind: IncidentKind;
  where: readonly DemoEventPlaceKind[];
  severity: readonly Severity[];
  titles: readonly string[];
  description: string;
  evidence?: readonly EvidenceKind[];
  /** Possible locations, if the story doesn't fit just anywhere. */
  spots?: readonly string[];
  /** The report is about a thing, not about a person. */
  thing?: true;
  /** The team's notes on investigating and on resolving, if those of its kind don't fit. */
  investigationNotes?: readonly string[];
  resolutionNotes?: readonly string[];
};

export const ALL_DEMO_EVENT_PLACE_KINDS: readonly DemoEventPlaceKind[] = ["venue", "online", "games"];
export const IN_PERSON_DEMO_EVENT_PLACE_KINDS: readonly DemoEventPlaceKind[] = ["venue", "games"];
