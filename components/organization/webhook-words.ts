import { useLocale, useWords } from "#words";
import { FACTS } from "#lib/outbox/events.ts";
import { TEST_KIND } from "#lib/webhooks/schema.ts";

const KINDS = [...FACTS, TEST_KIND] as const;

/** What a kind of delivery tells, in words; one that isn't known is named as it is. */
export function useHappening(): (kind: string) => string {
  const t = useWords("webhooks");
  return (kind) => {
    const known = KINDS.find((one) => one === kind);
    return known ? t(`kind.${known}`) : kind;
  };
}

/** Several kinds in a row. */
export function useHappenings(): (kinds: readonly string[]) => string {
  const t = useWords("webhooks");
  const happening = useHappening();
  const list = new Intl.ListFormat(useLocale(), { type: "conjunction" });
  return (kinds) =>
    kinds.length === FACTS.length
      ? t("everything")
      : t("tells", { kinds: list.format(kinds.map(happening)) });
}
