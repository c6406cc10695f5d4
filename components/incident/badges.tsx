import { Badge } from "#components/ui/badge.tsx";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";

export function StatusBadge({ state }: { state: IncidentState }) {
  const t = useTranslator("incident");
  return <Badge tone={`state-${state}`}>{t(`state.${state}`)}</Badge>;
}

export function SeverityBadge({ severity }: { severity: Severity | null }) {
  const t = useTranslator("incident");
  return <Badge tone={`severity-${severity ?? "none"}`}>{t(`severity.${severity ?? "none"}`)}</Badge>;
}

/** For a report of danger that nobody has acknowledged yet. */
export function UrgentBadge() {
  const t = useTranslator("inboxClient");
  return (
    <Badge tone="severity-critical" icon="siren">
      {t("urgent")}
    </Badge>
  );
}
