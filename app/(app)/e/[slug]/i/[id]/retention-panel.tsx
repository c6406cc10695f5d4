import { useLocale, useTranslator } from "#i18n";
import { isDeletedSoon, RetentionText } from "#components/incident/retention-text.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { formatCalendarDate } from "#lib/design/time.ts";
import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { MAX_HOLD_REASON_LENGTH, type IncidentRetention } from "#lib/retention/schema.ts";
import { releaseRetentionHoldAction, setRetentionHoldAction } from "./actions.ts";
import type { FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";

/** The record as pages read it: times as text. */
export type DisplayedIncidentRetention = import("zod").output<typeof IncidentRetention>;

type Props = {
  incident: Incident;
  retention: DisplayedIncidentRetention;
  writing: FormAccountBinding;
  /** Whether the reader of the page may set and release holds. */
  mayChange: boolean;
  now: Date;
};

/** Says when the incident is deleted and why, and which hold prevents it. */
export function RetentionPanel({ incident, retention, writing, mayChange, now }: Props) {
  const t = useTranslator("retention");
  if (!retention.onHold && !isReopenableState(incident.state)) return null;
  return (
    <Card title={t("title")} id="retention">
      <div className="grid gap-3">
        <RetentionText retention={retention} isOpen={!isReopenableState(incident.state)} />
        {isDeletedSoon(retention, now) && (
          <Notice kind="warning" title={t("soonTitle")}>
            <p>{t("soonTeam")}</p>
          </Notice>
        )}
        {retention.hold && <HoldDetails hold={retention.hold} />}
        {mayChange && (
          <div className="no-print flex flex-wrap gap-2">
            <HoldForm incident={incident} hold={retention.hold} writing={writing} now={now} />
            {retention.hold?.canRelease && <ReleaseForm incident={incident} writing={writing} />}
          </div>
        )}
        {mayChange && retention.hold && !retention.hold.canRelease && (
          <p className="text-sm text-muted">{t("releaseOther")}</p>
        )}
      </div>
    </Card>
  );
}

type Hold = NonNullable<DisplayedIncidentRetention["hold"]>;

function HoldDetails({ hold: { heldBy, heldAt, reason, reviewOn } }: { hold: Hold }) {
  const t = useTranslator("retention");
  const locale = useLocale();
  const day = formatCalendarDate(heldAt.slice(0, "2026-11-26".length), locale);
  return (
    <div className="grid gap-1">
      <p>{heldBy ? t("heldBy", { name: heldBy.name, day }) : t("heldSince", { day })}</p>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {reason}
      </p>
      <p className="flex items-start gap-1.5 text-sm text-muted">
        <Icon as="hourglass" size={16} className="mt-0.5" />
        {t("reviewOn", { day: formatCalendarDate(reviewOn, locale) })}
      </p>
    </div>
  );
}

const DAY_MS = 24 * 3_600_000;
/** A hold is reviewed after half a year, unless somebody chooses another day. */
const USUAL_REVIEW_DAYS = 183;
const dayAfter = (now: Date, days: number) =>
  new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, "2026-11-26".length);

const buildHoldPath = (incident: Incident) => ({ slug: incident.event.slug, incidentId: incident.id });

type HoldFormProps = {
  incident: Incident;
  hold: Hold | null;
  writing: FormAccountBinding;
  now: Date;
};

function HoldForm({ incident, hold, writing, now }: HoldFormProps) {
  const t = useTranslator("retention");
  return (
    <AccountBoundForm
      writing={writing}
      form="hold"
      action={setRetentionHoldAction}
      of={buildHoldPath(incident)}
      dialog={{ trigger: t(hold ? "holdChange" : "hold.open"), title: t("holdTitle") }}
    >
      <TextArea
        name="reason"
        label={t("holdReason")}
        hint={t("holdReasonHint")}
        defaultValue={hold?.reason}
        maxLength={MAX_HOLD_REASON_LENGTH}
        rows={3}
        count
        required
      />
      <TextField
        name="reviewOn"
        type="date"
        label={t("holdReview")}
        hint={t("holdReviewHint")}
        defaultValue={hold?.reviewOn ?? dayAfter(now, USUAL_REVIEW_DAYS)}
        min={dayAfter(now, 1)}
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t(hold ? "holdSave" : "hold")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

function ReleaseForm({ incident, writing }: Pick<HoldFormProps, "incident" | "writing">) {
  const t = useTranslator("retention");
  return (
    <AccountBoundForm
      writing={writing}
      form="releaseHold"
      action={releaseRetentionHoldAction}
      of={buildHoldPath(incident)}
      dialog={{ trigger: t("release.open"), title: t("releaseTitle") }}
    >
      <p>{t("releaseText")}</p>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("release")}</SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </AccountBoundForm>
  );
}
