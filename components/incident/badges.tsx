import { Badge } from "#components/ui/badge.tsx";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import type { Severity, State } from "#lib/incidents/schema.ts";
import { SEVERITY_WORDS, severityTone } from "./words.ts";

export function StateBadge({ state }: { state: State }) {
  return <Badge tone={`state-${state}`}>{STATE_WORDS[state]}</Badge>;
}

export function SeverityBadge({ severity }: { severity: Severity | null }) {
  return <Badge tone={severityTone(severity)}>{severity ? SEVERITY_WORDS[severity] : "Not set"}</Badge>;
}
