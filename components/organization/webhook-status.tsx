import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";

type Props = { webhook: { enabled: boolean; failingSince: string | null } };

/** A badge that says whether a webhook receives deliveries. */
export function WebhookStatusBadge({ webhook: { enabled, failingSince } }: Props) {
  const t = useTranslator("webhooks");
  if (!enabled) return <Badge>{t("state.off")}</Badge>;
  return failingSince ? (
    <Badge tone="caution">{t("state.failing")}</Badge>
  ) : (
    <Badge tone="positive">{t("state.on")}</Badge>
  );
}
