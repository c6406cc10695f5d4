import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { OpenDialogButton } from "#components/ui/dialog.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import { canReachReporter } from "#lib/incidents/lifecycle.ts";
import {
  type Incident,
  MAX_STATUS_NOTES_LENGTH,
  type IncidentState,
  MAX_INCIDENT_TITLE_LENGTH,
  MIN_INCIDENT_TITLE_LENGTH,
} from "#lib/incidents/schema.ts";
import type { IncidentStateWithOutcome } from "#lib/organizations/outcome-templates.ts";
import { changeStatusAction, reopenIncidentAction, changeIncidentTitleAction } from "./actions.ts";
import { OutcomeMessageFields, type OutcomeMessageDefaults } from "./outcome-fields.tsx";
import { buildStatusConflictVersions, IncidentStatus } from "./status-versions.tsx";
import { buildOncePerIncident, buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

export type AssignablePerson = {
  id: string;
  name: string;
  /** Whether they haven't answered the conflict check, which they are asked before they read the incident. */
  isUnanswered?: boolean;
};
type IncidentProps = { incident: Incident };
type StatusFormProps = IncidentProps & { writing: FormAccountBinding };
type StatusFormWithPeopleProps = StatusFormProps & {
  people: readonly AssignablePerson[];
  outcome: OutcomeMessageDefaults;
};

type StatusChange = IncidentState | "reopen";

/**
 * Status changes offered in each status, the most likely next one first. The API accepts any (contract 7.5).
 */
export const OFFERED_STATUS_CHANGES: Record<IncidentState, readonly StatusChange[]> = {
  submitted: ["acknowledged", "investigating", "resolved", "closed"],
  acknowledged: ["investigating", "resolved", "closed", "submitted"],
  investigating: ["resolved", "closed", "acknowledged", "submitted"],
  resolved: ["closed", "reopen"],
  closed: ["reopen", "resolved"],
};

/**
 * Changes whose dialogs always stay in the page, because somebody may be typing in one while the status
 * changes.
 */
const CHANGES_WITH_DIALOG = ["investigating", "resolved", "closed", "reopen"] as const;

type ChangeWithDialog = (typeof CHANGES_WITH_DIALOG)[number];

export const buildIncidentDialogId = (move: StatusChange | "title") => `move-${move}`;

type BarProps = StatusFormProps & {
  mayRetitle: boolean;
  /** Shown before the most likely change: the button "Assign to me". */
  children: ReactNode;
  /** Other items of the menu "More". */
  others: ReactNode;
};

/** Shows the most likely next status change as the primary button; on a phone at the foot of the screen. */
export function IncidentActionBar({ incident, writing, mayRetitle, children, others }: BarProps) {
  const t = useTranslator("incidentPage");
  const [first] = OFFERED_STATUS_CHANGES[incident.state];
  return (
    <div
      data-more=""
      className="no-print flex items-center gap-2 min-[50rem]:whitespace-nowrap max-[50rem]:fixed max-[50rem]:inset-x-0 max-[50rem]:bottom-0 max-[50rem]:z-30 max-[50rem]:border-t max-[50rem]:border-line max-[50rem]:bg-surface max-[50rem]:px-4 max-[50rem]:py-2"
    >
      <WriteLink />
      {children}
      <AcknowledgeForm incident={incident} writing={writing} />
      {first && first !== "acknowledged" && (
        <OpenDialogButton
          opens={buildIncidentDialogId(first)}
          variant="primary"
          className="max-[50rem]:grow max-[50rem]:!px-3"
          data-command={t(getStatusChangeLabelKey(first, incident.state))}
        >
          {t(getStatusChangeLabelKey(first, incident.state))}
        </OpenDialogButton>
      )}
      <MoreMenu mayRetitle={mayRetitle}>{others}</MoreMenu>
    </div>
  );
}

/** Leads to the fields to write in. On a phone it is an icon, so that the buttons beside it have room. */
function WriteLink() {
  const t = useTranslator("incidentPage");
  return (
    <a
      href="#talk"
      className={buildButtonClass("secondary", "shrink-0 max-[50rem]:w-11 max-[50rem]:!px-0")}
      data-command={t("writeHere")}
    >
      <Icon as="pen-line" size={16} />
      <span className="max-[50rem]:sr-only">{t("writeHere")}</span>
    </a>
  );
}

/** A button that opens the dialog to reopen the incident; without script, the form is on the page. */
export function ReopenButton() {
  const t = useTranslator("incidentPage");
  return <OpenDialogButton opens={buildIncidentDialogId("reopen")}>{t("label.reopen")}</OpenDialogButton>;
}

/** The menu of further actions. On a phone it is an icon, so that the buttons before it have room. */
function MoreMenu({ mayRetitle, children }: Pick<BarProps, "mayRetitle" | "children">) {
  const t = useTranslator("incidentPage");
  return (
    <Menu
      foot
      triggerClass={buildButtonClass("secondary", "max-[50rem]:w-11 max-[50rem]:!px-0")}
      trigger={
        <>
          <span className="max-[50rem]:sr-only">{t("more")}</span>
          <Icon as="chevron-down" size={16} className="max-[50rem]:hidden" />
          <Icon as="ellipsis" className="min-[50rem]:hidden" />
        </>
      }
    >
      <a href="#properties" className={clsx(MENU_ITEM_CLASS, "min-[50rem]:hidden")}>
        {t("properties")}
      </a>
      {children}
      {mayRetitle && (
        <OpenDialogButton
          opens={buildIncidentDialogId("title")}
          className={MENU_ITEM_CLASS}
          data-command={t("editTitle")}
        >
          {t("editTitle")}
        </OpenDialogButton>
      )}
    </Menu>
  );
}

/** A form that acknowledges the incident with one press. It stays when its button disappears, to show the result. */
function AcknowledgeForm({ incident, writing }: StatusFormProps) {
  const t = useTranslator("incidentPage");
  const now = incident.state === "submitted";
  return (
    <AccountBoundForm
      writing={writing}
      form="acknowledge"
      action={changeStatusAction}
      of={buildHiddenFieldsForLaterUndo(incident)}
      hidden={{ state: "acknowledged" }}
      versions={{
        theirs: <IncidentStatus incident={incident} />,
        yours: t("label.acknowledge"),
        field: "notes",
      }}
      className={clsx(now ? "gap-2 max-[50rem]:grow" : "hidden", REFUSED_FORM_CLASSES)}
    >
      <FormToast />
      {now && (
        <SubmitButton
          className="w-full max-[50rem]:!px-3"
          pendingLabel={t("acknowledging")}
          data-command={t("label.acknowledge")}
        >
          {t("label.acknowledge")}
        </SubmitButton>
      )}
    </AccountBoundForm>
  );
}

/** Classes with which a refused form shows the refusal even when its button has disappeared. */
export const REFUSED_FORM_CLASSES = [
  "has-[[role=alert]]:absolute has-[[role=alert]]:end-4 has-[[role=alert]]:z-30 has-[[role=alert]]:grid",
  "has-[[role=alert]]:w-[min(34rem,calc(100vw-2rem))] has-[[role=alert]]:rounded-surface has-[[role=alert]]:bg-surface",
  "max-[50rem]:has-[[role=alert]]:bottom-full min-[50rem]:has-[[role=alert]]:top-full",
];

/** The forms for status changes and the title, in dialogs that buttons of the page open. */
export function StatusChangeAndTitleForms({
  mayRetitle,
  ...given
}: StatusFormWithPeopleProps & { mayRetitle: boolean }) {
  const { incident, writing } = given;
  const offered = OFFERED_STATUS_CHANGES[incident.state];
  return (
    <>
      {CHANGES_WITH_DIALOG.map((move) => (
        <StatusForm key={move} move={move} offered={offered.includes(move)} {...given} />
      ))}
      {mayRetitle && <TitleForm incident={incident} writing={writing} id={buildIncidentDialogId("title")} />}
    </>
  );
}

type StatusChangeProps = StatusFormWithPeopleProps & { move: ChangeWithDialog; offered: boolean };

function StatusForm({ move, offered, incident, writing, people, outcome }: StatusChangeProps) {
  const t = useTranslator("incidentPage");
  const ending = findEndingState(move, incident);
  const label = getStatusChangeLabelKey(move, incident.state);
  const title = t(label).replace(/…$/, "");
  return (
    <AccountBoundForm
      writing={writing}
      form={buildIncidentDialogId(move)}
      action={move === "reopen" ? reopenIncidentAction : changeStatusAction}
      of={buildHiddenFieldsForLaterUndo(incident)}
      hidden={move === "reopen" ? {} : { state: move }}
      dialog={{ id: buildIncidentDialogId(move), title, offered }}
      versions={buildStatusConflictVersions(incident, title, ending && outcome.presentOutcome)}
      resetOnSuccess
    >
      <FormToast />
      {(move === "investigating" || move === "reopen") && (
        <AssigneeField required={move === "investigating"} incident={incident} people={people} />
      )}
      <TextArea
        name="notes"
        label={t("note")}
        hint={t(getHintKey(move, incident))}
        maxLength={MAX_STATUS_NOTES_LENGTH}
        rows={4}
        required={CHANGES_WITH_NOTE.has(move)}
        count
      />
      {ending && <OutcomeMessageFields state={ending} {...outcome} />}
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t(getSubmitLabelKey(move, incident.state))}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/**
 * Returns the status with which a change ends the work, so that its dialog asks for a message on the outcome; null for
 * any other change, or if the reporter can't read messages.
 */
const findEndingState = (move: StatusChange, incident: Incident): IncidentStateWithOutcome | null =>
  canReachReporter(incident) && (move === "closed" || (move === "resolved" && incident.state !== "closed"))
    ? move
    : null;

type AssigneeProps = Pick<StatusFormWithPeopleProps, "incident" | "people"> & { required: boolean };

function AssigneeField({ required, incident, people }: AssigneeProps) {
  const t = useTranslator("incidentPage");
  const options = people.map((person) => ({
    value: person.id,
    label: formatAssignablePersonLabel(person, t),
  }));
  return (
    <RefreshProofSelectField
      name="assignedToUserId"
      label={t("whoTakesIt")}
      hint={required ? undefined : t("reopenHint")}
      prompt={t(required ? "choose" : "nobodyNew")}
      options={options}
      defaultValue={required ? (incident.assignedResponderId ?? "") : ""}
      required={required}
    />
  );
}

const CHANGES_WITH_NOTE = new Set<StatusChange>(["investigating", "resolved", "reopen"]);

export function getStatusChangeLabelKey(move: StatusChange, state: IncidentState) {
  if (move === "acknowledged")
    return state === "submitted" ? "label.acknowledge" : "label.backToAcknowledged";
  if (move === "resolved" && state === "closed") return "label.backToResolved";
  return `label.${move}` as const;
}

const getSubmitLabelKey = (move: ChangeWithDialog, state: IncidentState) =>
  move === "resolved" && state === "closed" ? "send.back" : (`send.${move}` as const);

function getHintKey(move: StatusChange, { resolution }: Incident) {
  if (move === "investigating") return "hint.investigating";
  if (move === "reopen") return "hint.reopen";
  return move === "resolved" && !resolution ? "hint.resolved" : "hint.teamOnly";
}

/** Edits the title, for those who may change it. */
export function TitleForm({
  incident,
  writing,
  id,
  trigger,
}: StatusFormProps & { id?: string; trigger?: ReactNode }) {
  const t = useTranslator("ownReport");
  return (
    <AccountBoundForm
      writing={writing}
      form="title"
      action={changeIncidentTitleAction}
      of={buildIncidentHiddenFormFields(incident)}
      dialog={{ title: t("titleEdit"), variant: "quiet", ...(id ? { id } : { trigger }) }}
      versions={{ theirs: incident.title, field: "title" }}
    >
      <FormToast />
      <TextField
        name="title"
        label={t("title")}
        hint={t("titleHint", { min: MIN_INCIDENT_TITLE_LENGTH, max: MAX_INCIDENT_TITLE_LENGTH })}
        defaultValue={incident.title}
        minLength={MIN_INCIDENT_TITLE_LENGTH}
        maxLength={MAX_INCIDENT_TITLE_LENGTH}
        count
        autoComplete="off"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("titleSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** Builds the hidden fields of a form about the incident: where it is, and the version on screen. */
export const buildIncidentHiddenFormFields = buildOncePerIncident((incident: Incident) => ({
  ...buildPlaceFields(incident),
  ifMatch: incident.updatedAt,
}));

/** Builds the path parameters, the version, and the current values, so that the change can be undone. */
export const buildHiddenFieldsForLaterUndo = buildOncePerIncident((incident: Incident) => ({
  ...buildIncidentHiddenFormFields(incident),
  wasState: incident.state,
  wasAssignee: incident.assignedResponderId ?? "",
}));

/**
 * Formats the label of a person in a list of people to assign: their name, and whether they still have to answer the
 * conflict check.
 */
export const formatAssignablePersonLabel = (
  { name, isUnanswered }: AssignablePerson,
  t: Translator<"incidentPage">,
): string => (isUnanswered ? t("unansweredPerson", { name: isolateBidi(name) }) : name);
