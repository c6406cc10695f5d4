import fs from "node:fs";
import path from "node:path";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import { LOCALES } from "#lib/i18n/locales.ts";

/** The namespaces of client components that stand on many signed-in pages. */
const APP_NAMESPACES: readonly MessageNamespace[] = [
  "ui",
  "failure",
  "offline",
  "frame",
  "live",
  "jump",
  "quickExit",
  "inboxClient",
  "keySheet",
  "incident",
  "incidentPage",
  "incidentClient",
  "incidentTeam",
  "commentForms",
  "outcome",
  "chosenFiles",
];

/**
 * Writes components/i18n/generated/<language>.json, the messages that signed-in pages have in common, compiled. The
 * bundler makes a file of each that browsers keep, so that no page holds them.
 */
export function writeAppMessages(root: string): void {
  const folder = path.join(root, "components/i18n/generated");
  fs.mkdirSync(folder, { recursive: true });
  for (const locale of LOCALES) {
    const messages = APP_NAMESPACES.map((namespace) => [namespace, getMessages(locale, namespace)]);
    fs.writeFileSync(path.join(folder, `${locale}.json`), JSON.stringify(Object.fromEntries(messages)));
  }
}
