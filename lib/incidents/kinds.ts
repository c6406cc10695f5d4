/**
 * The kinds that the report form offers, as they are stored: `type` is free text (contract 7.2), so one that came
 * another way is shown as it was written. The words in the reader's language are `kind.…` in the catalogue.
 */
export const KINDS = {
  insults: "Insults, slurs or mockery",
  attention: "Unwanted attention or touching",
  threats: "Threats or violence",
  exclusion: "Discrimination or exclusion",
  following: "Stalking or following",
  pictures: "Photos or recordings against someone's will",
  messages: "Messages or posts online",
  safety: "Safety of a place or an activity",
} as const;

export type Kind = keyof typeof KINDS;

const BY_TEXT = new Map<string, Kind>(Object.entries(KINDS).map(([kind, text]) => [text, kind as Kind]));

/** The kind that a stored text stands for; undefined for a text of somebody's own. */
export const kindOf = (type: string | null): Kind | undefined => (type ? BY_TEXT.get(type) : undefined);
