import { useLocale, useTranslator } from "#i18n";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { PublicEventRecord } from "./event-data.ts";

type Props = {
  event: Pick<PublicEventRecord, "name">;
  names: readonly string[];
  /** Whether `names` is the whole team; false if the event doesn't show its team to the current user. */
  isTeamKnown: boolean;
};

/** Names the people who read reports, and says what to do if a report is about one of them. */
export function ReportReadersText({ event, names, isTeamKnown }: Props) {
  const t = useTranslator("report");
  const listed = useShortNameList(names);
  const name = isolateBidi(event.name);
  const isTeamEmpty = isTeamKnown && names.length === 0;
  return (
    <>
      <p>
        {names.length > 0
          ? t("whoTeam", { event: name, names: listed })
          : t(isTeamEmpty ? "whoNobody" : "whoHidden", { event: name })}
      </p>
      {!isTeamEmpty && <p>{t("whoHide")}</p>}
    </>
  );
}

/** "Ana, Ben and Cy"; from nine names on, the first eight and the number of the rest. */
function useShortNameList(names: readonly string[]): string {
  const t = useTranslator("report");
  const locale = useLocale();
  const isolatedNames = names.map(isolateBidi);
  const shownNames =
    names.length > 9
      ? [...isolatedNames.slice(0, 8), t("whoMore", { count: names.length - 8 })]
      : isolatedNames;
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(shownNames);
}
