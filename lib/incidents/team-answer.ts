import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { listPossibleReadersOfNewReport } from "#lib/access/readers-queries.ts";
import type { NewIncidentInput } from "#lib/incidents/schema.ts";
import { matchTypedNames } from "#lib/incidents/typed-names.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";

/** How the answer to "Is it about someone on the team?" decides who reads a new report (contract 16.8). */

/** A report whose `excludedUserIds` are everybody from whom its answers hide it. */
export type ReportWithResolvedReaders = {
  report: NewIncidentInput;
  /** The answer hides it whether or not somebody on the team is left to read it. */
  isTeamAnswer: boolean;
  /** The reporter typed a name, and isn't told whether anybody has it. */
  isByName: boolean;
  /** The outside person alone is to read it. */
  isForOutsidePersonAlone: boolean;
  /** It is hidden from everybody who is on the team when it is stored, too. */
  hidesFromTeam: boolean;
  /** It has a list, be it one without anybody from whom it is hidden by name. */
  isListed: boolean;
};

/**
 * Finds everybody from whom a new report's answers hide it. A name that nobody has hides it from the whole team if
 * somebody outside can read it. Nothing that the sender gets tells whether anybody has the name.
 * @throws InvalidInputError for an answer that promises a name and has none
 */
export async function resolveTeamAnswer(
  report: NewIncidentInput,
  { eventId, sender }: { eventId: string; sender: string | null },
): Promise<ReportWithResolvedReaders> {
  const { aboutTeam, excludedName, excludedUserIds } = report;
  if (aboutTeam === "no") return asAnswered({ ...report, excludedUserIds: [], excludedName: null });
  if (aboutTeam === "named" && excludedName === null && excludedUserIds.length === 0)
    throw new InvalidInputError({ aboutTeam: createFieldProblem("namesNobody") });
  const hidesFromAll = aboutTeam === "unnamed" || aboutTeam === "everyone";
  if (!hidesFromAll && excludedName === null) return asAnswered(report);
  const people = (await listPossibleReadersOfNewReport(eventId)).filter(({ id }) => id !== sender);
  const named = matchTypedNames(excludedName ?? "", people);
  const onTeam = people.filter((person) => person.onTeam);
  const isNameUnknown = excludedName !== null && !matchTypedNames(excludedName, onTeam).isComplete;
  const outsidePerson = people.find(
    (person) => person.isOutsidePerson && !person.onTeam && !named.matches.includes(person),
  );
  const isForOutsidePersonAlone = (hidesFromAll || isNameUnknown) && outsidePerson !== undefined;
  const hidden = [...named.matches, ...(hidesFromAll || isForOutsidePersonAlone ? onTeam : [])];
  const excluded = [...new Set([...excludedUserIds, ...hidden.map(({ id }) => id)])].toSorted();
  const hidesFromTeam = hidesFromAll || isForOutsidePersonAlone;
  return {
    report: {
      ...report,
      reportedPersonName: report.reportedPersonName ?? excludedName,
      excludedUserIds: excluded,
    },
    isTeamAnswer: true,
    isByName: !hidesFromAll,
    isForOutsidePersonAlone,
    hidesFromTeam,
    isListed: hidesFromTeam || excluded.length > 0,
  };
}

const asAnswered = (report: NewIncidentInput): ReportWithResolvedReaders => ({
  report,
  isTeamAnswer: false,
  isByName: false,
  isForOutsidePersonAlone: false,
  hidesFromTeam: false,
  isListed: report.excludedUserIds.length > 0,
});
