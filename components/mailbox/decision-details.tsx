import { useTranslator } from "#i18n";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import type { SerializedConversation } from "#lib/conversations/schema.ts";

type Decision = NonNullable<SerializedConversation["messages"][number]["decision"]>;

/** Shows the four parts of a decision. Its person and the team see the same. */
export function DecisionDetails({ decision }: { decision: Decision }) {
  const t = useTranslator("otherMailbox");
  const formatDay = useDayFormatter();
  const { reported, finding, measure, measureEndsOn, appeal } = decision;
  return (
    <DefinitionList
      layout="stacked"
      items={[
        { term: t("reported"), value: <UserText>{reported}</UserText> },
        { term: t("finding"), value: <UserText>{finding}</UserText> },
        {
          term: t("measure"),
          value: (
            <>
              <UserText>{measure}</UserText>
              <p className="text-sm text-muted">
                {measureEndsOn ? t("endsOn", { day: formatDay(measureEndsOn) }) : t("noEnd")}
              </p>
            </>
          ),
        },
        { term: t("appealHow"), value: <UserText>{appeal}</UserText> },
      ]}
    />
  );
}
