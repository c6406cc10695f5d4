import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Icon } from "#components/ui/icon.tsx";
import type { Incident } from "#lib/incidents/schema.ts";

/** The team's summary, and the reporter's original text, set larger than the interface around it and never editable. */
export function ReportText({ incident }: { incident: Incident }) {
  const t = useTranslator("incidentPage");
  return (
    <Card title={t("report")}>
      {incident.summary && <TeamSummary text={incident.summary} />}
      <p dir="auto" className="reading wrap-anywhere">
        {incident.description}
      </p>
    </Card>
  );
}

function TeamSummary({ text }: { text: string }) {
  const t = useTranslator("incident");
  return (
    <div className="mb-4 grid gap-1 border-s-2 border-line ps-3">
      <p className="flex items-center gap-1.5 text-sm text-muted">
        <Icon as="lock" size={16} />
        {t("summaryOfTeam")}
      </p>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {text}
      </p>
    </div>
  );
}
