import { Badge } from "#components/ui/badge.tsx";
import type { Severity, State } from "#lib/incidents/schema.ts";
import { useWords } from "#words";

export function StateBadge({ state }: { state: State }) {
  const t = useWords("incident");
  return <Badge tone={`state-${state}`}>{t(`state.${state}`)}</Badge>;
}

export function SeverityBadge({ severity }: { severity: Severity | null }) {
  const t = useWords("incident");
  return <Badge tone={`severity-${severity ?? "none"}`}>{t(`severity.${severity ?? "none"}`)}</Badge>;
}
