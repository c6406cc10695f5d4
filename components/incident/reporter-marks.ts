import type { Translator } from "#components/i18n/translator.ts";
import { hasSameName } from "#lib/design/match-key.ts";
import type { Incident } from "#lib/incidents/schema.ts";

type Reporter = Pick<NonNullable<Incident["reporter"]>, "id" | "name" | "emailVerified">;
type Team = readonly { id: string; name: string }[];

/**
 * Lists what the team should know of a reporter's name: that nobody has confirmed the address of the account, and that
 * somebody else on the team has the same name.
 */
export function listReporterMarks(t: Translator<"incident">, reporter: Reporter, team: Team): string[] {
  const namesake = team.find(({ id, name }) => id !== reporter.id && hasSameName(name, reporter.name));
  return [
    ...(reporter.emailVerified ? [] : [t("reporterUnconfirmed")]),
    ...(namesake ? [t("reporterNamesake", { name: namesake.name })] : []),
  ];
}

/** Returns a reporter's name with its marks, for texts. */
export const formatMarkedReporterName = (t: Translator<"incident">, reporter: Reporter, team: Team): string =>
  [reporter.name, ...listReporterMarks(t, reporter, team)].join(" · ");

/** Returns a person whose name has the marks of the reporter's, if they are the reporter. */
export function markNameOfReporter<Named extends { id: string; name: string } | null | undefined>(
  t: Translator<"incident">,
  person: Named,
  { reporter, team }: { reporter: Reporter | null; team: Team },
): Named {
  if (!reporter || person?.id !== reporter.id) return person;
  return { ...person, name: formatMarkedReporterName(t, reporter, team) };
}

/** Returns reporters whose names have their marks. */
export const markReporterNames = (t: Translator<"incident">, reporters: readonly Reporter[], team: Team) =>
  reporters.map((reporter) => ({ ...reporter, name: formatMarkedReporterName(t, reporter, team) }));
