import { useTranslator } from "#i18n";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import { SEVERITIES } from "#lib/incidents/limits.ts";

/** Returns the values that the actions offer, with their labels. */
export function useTriageVocabulary() {
  const t = useTranslator("incident");
  return {
    states: INCIDENT_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    severities: [...SEVERITIES.toReversed(), "" as const].map((value) => ({
      value,
      label: t(`severity.${value || "none"}`),
    })),
  };
}
