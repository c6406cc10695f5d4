import type { Tone } from "#components/ui/badge.tsx";
import type { Incident, Severity, State } from "#lib/incidents/schema.ts";

/** The words that people read for what the records hold. States: STATE_WORDS in lib/incidents/lifecycle.ts. */

export const SEVERITY_WORDS: Record<Severity, string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  critical: "Critical",
};

export const severityTone = (severity: Severity | null): Tone => `severity-${severity ?? "none"}`;

export const CONTACT_WORDS: Record<Incident["contactMethod"], string> = {
  email: "By e-mail",
  phone: "By phone",
  in_person: "In person",
  no_contact: "Please don't contact me",
};

/** What a state means to the person who reported, and what happens next. */
export const FOR_THE_REPORTER: Record<State, { now: string; next: string }> = {
  submitted: {
    now: "Your report has arrived. Nobody has answered it yet.",
    next: "Someone of the response team reads it and confirms that they have it.",
  },
  acknowledged: {
    now: "The response team has read your report.",
    next: "They talk about it and decide who looks into it.",
  },
  investigating: {
    now: "Someone of the response team is looking into it.",
    next: "They may ask you, or others who were there. Then they decide what is done.",
  },
  resolved: {
    now: "The response team has finished looking into it.",
    next: "If something new happens, or you disagree, tell the team. They can open it again.",
  },
  closed: {
    now: "Your report is closed.",
    next: "It stays on record. If something new happens, tell the team. They can open it again.",
  },
};

/** "1 file", "3 files". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** A size for people: "640 KB", "2.4 MB", "5.4 GB". */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
