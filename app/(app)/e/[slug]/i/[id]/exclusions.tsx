import { EyeOff } from "lucide-react";
import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { excludePersonAction, liftExclusionAction, recuseAction } from "./exclusion-actions.ts";
import type { AssignablePerson } from "./status-forms.tsx";
import { AccountBoundForm, type FormAccountBinding } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

export type IncidentExclusionData = {
  /** Null when the account was deleted. */
  person: { id: string; name: string } | null;
  source: "reporter" | "team" | "recusal";
  reason: string | null;
  inherited: boolean;
  canLift: boolean;
};

export type ExclusionCandidate = {
  id: string;
  name: string;
  /** They are in the organization, and not on the team. */
  inOrganization?: boolean;
};

type Props = {
  incident: Incident;
  writing: FormAccountBinding;
  exclusions: readonly IncidentExclusionData[];
  /** The escalation contact, if nobody on the team may read it. */
  referredTo: { name: string } | null;
  /** Whether anybody on the team, or the escalation contact, can read it. */
  hasReader: boolean;
  /** People from whom the reader may hide the incident. */
  candidates: readonly ExclusionCandidate[];
  /** Those of them whom the report names. */
  named?: readonly AssignablePerson[];
  /** Whether the reader is on the team. */
  onTeam: boolean;
  /** Whether the reader can recuse themself. */
  mayRecuse: boolean;
};

export const toOrganizationExclusionCandidates = (
  members: readonly { id: string; name: string }[],
): ExclusionCandidate[] => members.map(({ id, name }) => ({ id, name, inOrganization: true }));

/** The people who must not see the incident, and the forms that change that. */
export function ExclusionSection(props: Props) {
  const t = useTranslator("incidentPage");
  const { incident, writing, exclusions, referredTo, candidates, named = [], onTeam, mayRecuse } = props;
  const forms = { incident, writing };
  return (
    <Card title={t("exclusion.title")} id="exclusions">
      <div className="grid gap-3">
        {exclusions.length === 0 ? (
          <p className="text-muted">{t("exclusion.none")}</p>
        ) : (
          <ul className="grid gap-3">
            {exclusions.map((exclusion, index) => (
              <ExcludedPerson
                key={exclusion.person?.id ?? index}
                exclusion={exclusion}
                onTeam={onTeam}
                {...forms}
              />
            ))}
          </ul>
        )}
        {referredTo && <p>{t("exclusion.referredTo", { name: isolateBidi(referredTo.name) })}</p>}
        {exclusions.length > 0 && !props.hasReader && (
          <Notice kind="warning" title={t("exclusion.noReader")}>
            <p>{t(onTeam ? "exclusion.noReaderTeam" : "exclusion.noReaderAbout")}</p>
          </Notice>
        )}
        {named.map((person) => (
          <NamedPersonHint key={person.id} person={person} {...forms} />
        ))}
        {(candidates.length > 0 || mayRecuse) && (
          <div className="no-print flex flex-wrap gap-2 border-t border-line pt-3">
            {candidates.length > 0 && <ExcludeForm candidates={candidates} withReason={onTeam} {...forms} />}
            {mayRecuse && <RecuseForm {...forms} />}
          </div>
        )}
      </div>
    </Card>
  );
}

type FormContext = Pick<Props, "incident" | "writing">;

function ExcludedPerson({
  exclusion,
  onTeam,
  incident,
  writing,
}: FormContext & { exclusion: IncidentExclusionData; onTeam: boolean }) {
  const t = useTranslator("incidentPage");
  const gone = useTranslator("incident")("gone");
  const { person, source, reason, inherited, canLift } = exclusion;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="flex min-w-0 gap-2">
        <Icon as={EyeOff} size={16} className="mt-1 text-muted" />
        <div className="grid min-w-0 gap-0.5">
          <p className="wrap-anywhere">
            <bdi>{person?.name ?? gone}</bdi>
          </p>
          <p className="text-sm text-muted">
            {t(`exclusion.by.${inherited ? "inherited" : source === "reporter" && !onTeam ? "you" : source}`)}
          </p>
          {reason && (
            <p dir="auto" className="text-sm wrap-anywhere">
              {reason}
            </p>
          )}
        </div>
      </div>
      {canLift && person && <LiftForm person={person} incident={incident} writing={writing} />}
    </li>
  );
}

/** Asks before the person sees the incident again. */
function LiftForm({
  person,
  incident,
  writing,
}: FormContext & { person: NonNullable<IncidentExclusionData["person"]> }) {
  const t = useTranslator("incidentPage");
  const name = isolateBidi(person.name);
  return (
    <AccountBoundForm
      writing={writing}
      form={`lift-${person.id}`}
      action={liftExclusionAction}
      hidden={{ ...buildPlaceFields(incident), userId: person.id }}
      dialog={{
        trigger: t("exclusion.lift.open"),
        title: t("exclusion.liftTitle", { name }),
        className: "ms-6",
      }}
    >
      <FormToast />
      <p className="wrap-anywhere">{t("exclusion.liftAbout", { name })}</p>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("exclusion.lift")}</SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </AccountBoundForm>
  );
}

/** Offers to hide the incident from somebody whom the report names. */
function NamedPersonHint({ person, incident, writing }: FormContext & { person: AssignablePerson }) {
  const t = useTranslator("incidentPage");
  const name = isolateBidi(person.name);
  return (
    <div className="no-print grid justify-items-start gap-2 border-s-4 border-accent ps-3">
      <p className="wrap-anywhere">{t("exclusion.named", { names: name })}</p>
      <AccountBoundForm
        writing={writing}
        form={`exclude-${person.id}`}
        action={excludePersonAction}
        hidden={{ ...buildPlaceFields(incident), userId: person.id }}
      >
        <FormToast />
        <SubmitButton variant="secondary" pendingLabel={t("saving")}>
          {t("exclusion.hideFrom", { name })}
        </SubmitButton>
      </AccountBoundForm>
    </div>
  );
}

type ExcludeProps = FormContext & Pick<Props, "candidates"> & { withReason: boolean };

function ExcludeForm({ incident, writing, candidates, withReason }: ExcludeProps) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="exclude"
      action={excludePersonAction}
      hidden={buildPlaceFields(incident)}
      dialog={{ trigger: t("exclusion.hide"), title: t("exclusion.hideTitle") }}
    >
      <FormToast />
      <p>{t("exclusion.about")}</p>
      <RefreshProofSelectField
        name="userId"
        label={t("exclusion.person")}
        prompt={t("exclusion.choosePrompt")}
        required
        options={candidates.map(({ id, name, inOrganization }) => ({
          value: id,
          label: inOrganization ? t("exclusion.inOrganization", { name: isolateBidi(name) }) : name,
        }))}
      />
      {withReason && <ReasonField />}
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("exclusion.hideSubmit")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** Recuses the current user from the incident; a reason is optional. */
function RecuseForm({ incident, writing }: FormContext) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="recuse"
      action={recuseAction}
      hidden={buildPlaceFields(incident)}
      dialog={{ trigger: t("exclusion.recuse.open"), title: t("exclusion.recuseTitle") }}
    >
      <p>{t("exclusion.recuseAbout")}</p>
      <ReasonField />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("exclusion.recuse")}</SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </AccountBoundForm>
  );
}

function ReasonField() {
  const t = useTranslator("incidentPage");
  return (
    <TextArea
      name="reason"
      label={t("exclusion.reason")}
      hint={t("exclusion.reasonHint")}
      rows={2}
      maxLength={500}
    />
  );
}

const buildPlaceFields = ({ id, event }: Incident) => ({ slug: event.slug, incidentId: id });
