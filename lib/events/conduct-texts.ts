import berlin from "#lib/events/conduct-texts/berlin.json" with { type: "json" };
import conference from "#lib/events/conduct-texts/conference.json" with { type: "json" };
import contributorCovenant from "#lib/events/conduct-texts/contributor-covenant.json" with { type: "json" };
import { env } from "#lib/env.ts";
import type { Locale } from "#lib/i18n/locales.ts";

/** Codes of conduct to start from, by others and under their licenses (conduct-texts/README.md), in the languages that they have. */

type LinesByLanguage = { en: string[] } & Partial<Record<Locale, string[]>>;

/** Names and licenses are the same in every language. */
export const CONDUCT_TEXTS = [
  { id: "conference", name: "Conference Code of Conduct", license: "CC BY 3.0" },
  { id: "berlin", name: "Berlin Code of Conduct", license: "CC BY-SA 4.0" },
  { id: "contributor-covenant", name: "Contributor Covenant 2.1", license: "CC BY 4.0" },
] as const;

type ConductTextId = (typeof CONDUCT_TEXTS)[number]["id"];

const LINES: Record<ConductTextId, LinesByLanguage> = {
  conference,
  berlin,
  "contributor-covenant": contributorCovenant,
};

/** Finds a text in a language, or in English; undefined for any other id. `fillInConductContact` completes it. */
export function findConductText(id: string | undefined, locale: Locale): string | undefined {
  const text = CONDUCT_TEXTS.find((one) => one.id === id);
  if (!text) return undefined;
  const lines = LINES[text.id];
  return (lines[locale] ?? lines.en).join("\n");
}

/** Fills in where people report, in place of `{contact}`: the event's page. */
export const fillInConductContact = (text: string, slug: string): string =>
  text.replaceAll("{contact}", `${env().baseUrl}/e/${slug}`);
