import { useTranslator } from "#i18n";
import { isolateBidi } from "#lib/design/bidi.ts";

/** The people who can read a report that has just arrived. */
type NewReportReaderSummary = {
  /** Whether the report is hidden from somebody. */
  isHidden: boolean;
  /** Whether it is hidden by a name that the reporter typed; nothing says whether anybody has it. */
  isHiddenByName?: boolean;
  /** The outside person, if nobody on the team may read it. */
  outsidePerson: { name: string } | null;
  hasReader: boolean;
};

type Props = NewReportReaderSummary & {
  /** Name of the event. */
  event: string;
  /** Whether readers are asked first if they are too close to somebody involved. */
  conflictCheck: boolean;
};

/**
 * Says who can read the report that was just sent. It leaves out the names of people from whom the report is hidden.
 */
export function NewReportReadersText({ event, conflictCheck, ...recipients }: Props) {
  const t = useTranslator("report");
  return (
    <>
      {useRecipientsSentence(isolateBidi(event), recipients)}
      {recipients.hasReader && conflictCheck && ` ${t("sentWhoCheck")}`}
    </>
  );
}

function useRecipientsSentence(
  event: string,
  { isHidden, isHiddenByName = false, outsidePerson, hasReader }: NewReportReaderSummary,
): string {
  const t = useTranslator("report");
  if (!hasReader) return t("sentWhoNobody", { event });
  if (isHiddenByName) return t("sentWhoNamed", { event });
  if (outsidePerson) return t("sentWhoOutsidePerson", { event, name: isolateBidi(outsidePerson.name) });
  return t(isHidden ? "sentWhoExcept" : "sentWho", { event });
}
