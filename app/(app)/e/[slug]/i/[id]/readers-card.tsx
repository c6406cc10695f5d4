import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { ConflictCheckForms } from "./conflict-section.tsx";
import { endListAction, hideAction, letInAction, stepOutAction } from "./reader-actions.ts";
import type { AssignablePerson } from "./incident-fields.ts";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

/** Who can read the incident, and who must not see it (contract 16.3). */
export type ReadersData = {
  listed: boolean;
  /** Whether the reader of this page opened it in an emergency, and so changes nothing (contract 16.5). */
  inEmergency: boolean;
  /** Whether the reader of this page may end the list. */
  canEndList: boolean;
  readers: readonly {
    /** Null where the reader of this page doesn't learn names. */
    person: { id: string; name: string } | null;
    as: "team" | "systemAdmin" | "outsidePerson";
    access: "none" | "ask" | "full";
    answer: "none" | "soft" | null;
    openedUntil: string | null;
  }[];
  hiddenFrom: readonly {
    /** Null when the account was deleted. */
    person: { id: string; name: string } | null;
    source: "reporter" | "team" | "self" | "list";
    reason: string | null;
    canLetIn: boolean;
  }[];
  /** When it was opened in an emergency; empty for the reporter. */
  emergencies: readonly {
    id: string;
    /** Null when the account was deleted. */
    person: { id: string; name: string } | null;
    reason: string | null;
    at: string;
  }[];
  /** Whether anybody on the team, or the outside person, can read it. */
  hasReader: boolean;
};
type ReaderData = ReadersData["readers"][number];
type HiddenFromData = ReadersData["hiddenFrom"][number];

export type HidingCandidate = {
  id: string;
  name: string;
  /** They are in the organization, and not on the team. */
  inOrganization?: boolean;
};

type Props = ReadersData & {
  incident: Incident;
  writing: FormAccountBinding;
  now: Date;
  /** People from whom the reader may hide the incident. */
  candidates: readonly HidingCandidate[];
  /** Those of them whom the report names. */
  named?: readonly AssignablePerson[];
  /** Whether the reader is on the team. */
  onTeam: boolean;
  /** Whether the reader can step out. */
  mayStepOut: boolean;
};

export const toOrganizationCandidates = (
  members: readonly { id: string; name: string }[],
): HidingCandidate[] => members.map(({ id, name }) => ({ id, name, inOrganization: true }));

/** Who can read the incident, who must not see it, and the forms that change that. */
export function ReadersCard(props: Props) {
  const t = useTranslator("incidentPage");
  const { incident, writing, hiddenFrom, named = [], onTeam } = props;
  const forms = { incident, writing };
  return (
    <Card title={t("readers.title")} id="readers">
      <div className="grid gap-3">
        <p>{t(props.listed ? "readers.about.list" : "readers.about.team")}</p>
        <ReaderGroups readers={props.readers} now={props.now} />
        {hiddenFrom.length > 0 && !props.hasReader && (
          <Notice kind="warning" title={t("readers.noReader")}>
            <p>{t(onTeam ? "readers.noReaderTeam" : "readers.noReaderAbout")}</p>
          </Notice>
        )}
        {hiddenFrom.length === 0 ? (
          <p className="text-muted">{t("readers.none")}</p>
        ) : (
          <section className="grid gap-2">
            <h3 className="text-sm text-muted">{t("readers.hiddenFrom")}</h3>
            <ul className="grid gap-3">
              {hiddenFrom.map((hidden, index) => (
                <HiddenPerson key={hidden.person?.id ?? index} hidden={hidden} onTeam={onTeam} {...forms} />
              ))}
            </ul>
          </section>
        )}
        {named.map((person) => (
          <NamedPersonHint key={person.id} person={person} {...forms} />
        ))}
        {onTeam && incident.conflictCheck && <ConflictCheckForms mayChange={!props.inEmergency} {...forms} />}
        <Changes {...props} />
      </div>
    </Card>
  );
}

/** The buttons that open the forms for everybody, as far as the reader may use them. */
function Changes({ incident, writing, candidates, onTeam, mayStepOut, canEndList }: Props) {
  if (candidates.length === 0 && !mayStepOut && !canEndList) return null;
  const forms = { incident, writing };
  return (
    <div className="no-print flex flex-wrap gap-2 border-t border-line pt-3">
      {candidates.length > 0 && <HideForm candidates={candidates} withReason={onTeam} {...forms} />}
      {mayStepOut && <StepOutForm {...forms} />}
      {canEndList && <EndListForm {...forms} />}
    </div>
  );
}

/** The people who can read the incident, by the role with which they do. Those without a name are counted. */
function ReaderGroups({ readers, now }: { readers: readonly ReaderData[]; now: Date }) {
  const t = useTranslator("incidentPage");
  const groups = (["team", "outsidePerson", "systemAdmin"] as const)
    .map((role) => ({ role, people: readers.filter((reader) => reader.as === role) }))
    .filter(({ people }) => people.length > 0);
  if (groups.length === 0) return null;
  return (
    <dl className="grid gap-2">
      {groups.map(({ role, people }) => {
        const unnamedCount = people.filter(({ person }) => person === null).length;
        return (
          <div key={role} className="grid gap-0.5">
            <dt className="text-sm text-muted">{t(`readers.as.${role}`)}</dt>
            <dd>
              <ul className="flex flex-wrap gap-x-4 gap-y-1">
                {people.map(
                  (reader) => reader.person && <NamedReader key={reader.person.id} {...reader} now={now} />,
                )}
                {unnamedCount > 0 && <li>{t("readers.unnamed", { count: unnamedCount })}</li>}
              </ul>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function NamedReader({ person, access, answer, openedUntil, now }: ReaderData & { now: Date }) {
  const t = useTranslator("incidentPage");
  const tConflict = useTranslator("conflict");
  return (
    <li className="min-w-0 wrap-anywhere">
      <bdi>{person?.name}</bdi>
      {openedUntil ? (
        <span className="text-sm text-muted">
          {" · "}
          {t("readers.openedUntil")} <Time value={openedUntil} now={now} show="exact" />
        </span>
      ) : (
        access === "ask" && <span className="text-sm text-muted">{` · ${t("readers.ask")}`}</span>
      )}
      {answer && <span className="text-sm text-muted">{` · ${tConflict(`answer.${answer}`)}`}</span>}
    </li>
  );
}

type FormContext = Pick<Props, "incident" | "writing">;

function HiddenPerson({
  hidden,
  onTeam,
  incident,
  writing,
}: FormContext & { hidden: HiddenFromData; onTeam: boolean }) {
  const t = useTranslator("incidentPage");
  const gone = useTranslator("incident")("gone");
  const { person, source, reason, canLetIn } = hidden;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="flex min-w-0 gap-2">
        <Icon as="eye-off" size={16} className="mt-1 text-muted" />
        <div className="grid min-w-0 gap-0.5">
          <p className="wrap-anywhere">
            <bdi>{person?.name ?? gone}</bdi>
          </p>
          <p className="text-sm text-muted">
            {t(`readers.by.${source === "reporter" && !onTeam ? "you" : source}`)}
          </p>
          {reason && (
            <p dir="auto" className="text-sm wrap-anywhere">
              {reason}
            </p>
          )}
        </div>
      </div>
      {canLetIn && person && <LetInForm person={person} incident={incident} writing={writing} />}
    </li>
  );
}

/** Asks before the person sees the incident again. */
function LetInForm({
  person,
  incident,
  writing,
}: FormContext & { person: NonNullable<HiddenFromData["person"]> }) {
  const t = useTranslator("incidentPage");
  const name = isolateBidi(person.name);
  return (
    <AccountBoundForm
      writing={writing}
      form={`let-in-${person.id}`}
      action={letInAction}
      of={buildPlaceFields(incident)}
      hidden={{ userId: person.id }}
      dialog={{
        trigger: t("readers.letIn.open"),
        title: t("readers.letInTitle", { name }),
        className: "ms-6",
      }}
    >
      <FormToast />
      <p className="wrap-anywhere">{t("readers.letInAbout", { name })}</p>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("readers.letIn")}</SubmitButton>
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
      <p className="wrap-anywhere">{t("readers.named", { names: name })}</p>
      <AccountBoundForm
        writing={writing}
        form={`hide-${person.id}`}
        action={hideAction}
        of={buildPlaceFields(incident)}
        hidden={{ userId: person.id }}
      >
        <FormToast />
        <SubmitButton variant="secondary" pendingLabel={t("saving")}>
          {t("readers.hideFrom", { name })}
        </SubmitButton>
      </AccountBoundForm>
    </div>
  );
}

type HideProps = FormContext & Pick<Props, "candidates"> & { withReason: boolean };

function HideForm({ incident, writing, candidates, withReason }: HideProps) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="hide"
      action={hideAction}
      of={buildPlaceFields(incident)}
      dialog={{ trigger: t("readers.hide"), title: t("readers.hideTitle") }}
    >
      <FormToast />
      <p>{t("readers.about")}</p>
      <RefreshProofSelectField
        name="userId"
        label={t("readers.person")}
        prompt={t("readers.choosePrompt")}
        required
        options={candidates.map(({ id, name, inOrganization }) => ({
          value: id,
          label: inOrganization ? t("readers.inOrganization", { name: isolateBidi(name) }) : name,
        }))}
      />
      {withReason && <ReasonField />}
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("readers.hideSubmit")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** Lets the current user step out of the incident; a reason is optional. */
function StepOutForm({ incident, writing }: FormContext) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="step-out"
      action={stepOutAction}
      of={buildPlaceFields(incident)}
      dialog={{ trigger: t("readers.stepOut.open"), title: t("readers.stepOutTitle") }}
    >
      <p>{t("readers.stepOutAbout")}</p>
      <ReasonField />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("readers.stepOut")}</SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </AccountBoundForm>
  );
}

/** Asks before the whole team reads the incident again. */
function EndListForm({ incident, writing }: FormContext) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="end-list"
      action={endListAction}
      of={buildPlaceFields(incident)}
      dialog={{ trigger: t("readers.endList.open"), title: t("readers.endListTitle") }}
    >
      <FormToast />
      <p>{t("readers.endListAbout")}</p>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("readers.endList")}</SubmitButton>
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
      label={t("readers.reason")}
      hint={t("readers.reasonHint")}
      rows={2}
      maxLength={500}
    />
  );
}
