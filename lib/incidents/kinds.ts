/**
 * The texts that are stored for the kinds that the report form offers. `type` is free text (contract 7.2),
 * so any other text is shown as written. The catalog messages `kind.…` translate these.
 */
export const STORED_TYPE_BY_INCIDENT_KIND = {
  insults: "Insults, slurs or mockery",
  attention: "Unwanted attention or touching",
  threats: "Threats or violence",
  exclusion: "Discrimination or exclusion",
  following: "Stalking or following",
  pictures: "Photos or recordings against someone's will",
  messages: "Messages or posts online",
  safety: "Safety of a place or an activity",
} as const;

export type IncidentKind = keyof typeof STORED_TYPE_BY_INCIDENT_KIND;

const KIND_BY_TEXT = new Map<string, IncidentKind>(
  Object.entries(STORED_TYPE_BY_INCIDENT_KIND).map(([kind, text]) => [text, kind as IncidentKind]),
);

/** Returns the kind that a stored text stands for; undefined for free text. */
export const parseIncidentKind = (type: string | null): IncidentKind | undefined =>
  type ? KIND_BY_TEXT.get(type) : undefined;
