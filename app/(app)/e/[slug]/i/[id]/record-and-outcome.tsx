import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Time } from "#components/ui/time.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { canReachReporter } from "#lib/incidents/lifecycle.ts";
import type { Incident, IncidentState } from "#lib/incidents/schema.ts";
import { OutcomeForm, TeamRecordForm } from "./record-forms.tsx";

type Props = { incident: Incident; mayChange: boolean };

/** Statuses in which the team's record can be written. */
const RECORD_STATUSES = new Set<IncidentState>(["investigating", "resolved", "closed"]);

/** The team's record, which the reporter never sees. */
export function TeamRecordSection({ incident, mayChange }: Props) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { resolution, state } = incident;
  if (!resolution && !RECORD_STATUSES.has(state)) return null;
  return (
    <Card title={tIncident("field.resolution")} actions={mayChange && <TeamRecordForm />}>
      <TextWithReaders tone="internal" readers={t("recordReaders")} missing={t("recordNone")}>
        {resolution}
      </TextWithReaders>
    </Card>
  );
}

type TextProps = {
  tone: "internal" | "public";
  readers: string;
  missing: string;
  children: string | null;
};

function TextWithReaders({ tone, readers, missing, children }: TextProps): ReactNode {
  return (
    <div className="grid justify-items-start gap-2">
      <Badge tone={tone}>{readers}</Badge>
      {children ? <UserText>{children}</UserText> : <p className="text-muted">{missing}</p>}
    </div>
  );
}

type OutcomeProps = Props & {
  outcome: { body: string; createdAt: string } | null;
  now: Date;
};

/** What the reporter was told as the outcome. The reporter always sees the latest one. */
export function OutcomeSection({ incident, mayChange, outcome, now }: OutcomeProps) {
  const t = useTranslator("incidentPage");
  const { state } = incident;
  const ending = (state === "resolved" || state === "closed") && canReachReporter(incident) ? state : null;
  if (!outcome && !ending) return null;
  return (
    <Card title={t("outcomeChoice")} actions={ending && mayChange && <OutcomeForm state={ending} />}>
      <div className="grid gap-2">
        <TextWithReaders tone="public" readers={t("outcomeReaders")} missing={t("outcomeNone")}>
          {outcome?.body ?? null}
        </TextWithReaders>
        {outcome && (
          <p className="text-sm text-muted">
            <Time value={outcome.createdAt} now={now} />
          </p>
        )}
      </div>
    </Card>
  );
}
