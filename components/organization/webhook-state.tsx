import { useWords } from "#words";
import { Badge } from "#components/ui/badge.tsx";

type Props = { webhook: { enabled: boolean; failingSince: string | null } };

/** Whether a webhook is told of what happens. */
export function WebhookState({ webhook: { enabled, failingSince } }: Props) {
  const t = useWords("webhooks");
  if (!enabled) return <Badge>{t("state.off")}</Badge>;
  return failingSince ? (
    <Badge tone="caution">{t("state.failing")}</Badge>
  ) : (
    <Badge tone="positive">{t("state.on")}</Badge>
  );
}
