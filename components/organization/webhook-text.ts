import { useLocale, useTranslator } from "#i18n";
import { PUBLISHED_CHANGE_KINDS } from "#lib/jobs/outbox-events.ts";
import { TEST_WEBHOOK_KIND } from "#lib/webhooks/schema.ts";

const WEBHOOK_KINDS = [...PUBLISHED_CHANGE_KINDS, TEST_WEBHOOK_KIND] as const;

/** Returns a function that returns the label of a delivery kind; an unknown kind is its own label. */
export function useWebhookKindFormatter(): (kind: string) => string {
  const t = useTranslator("webhooks");
  return (kind) => {
    const knownKind = WEBHOOK_KINDS.find((one) => one === kind);
    return knownKind ? t(`kind.${knownKind}`) : kind;
  };
}

/** Returns a function that joins the labels of several kinds of webhook events. */
export function useWebhookKindListFormatter(): (kinds: readonly string[]) => string {
  const t = useTranslator("webhooks");
  const happening = useWebhookKindFormatter();
  const list = new Intl.ListFormat(useLocale(), { type: "conjunction" });
  return (kinds) =>
    kinds.length === PUBLISHED_CHANGE_KINDS.length
      ? t("everything")
      : t("sends", { kinds: list.format(kinds.map(happening)) });
}
