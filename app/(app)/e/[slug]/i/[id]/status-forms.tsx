"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { OpenDialogButton } from "#components/ui/dialog.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import { MAX_STATUS_NOTES_LENGTH } from "#lib/incidents/limits.ts";
import type { IncidentState } from "#lib/incidents/schema.ts";
import type { IncidentStateWithOutcome } from "#lib/organizations/outcome-templates.ts";
import { changeStatusAction, reopenIncidentAction } from "./actions.ts";
import {
  buildHiddenFieldsForLaterUndo,
  buildIncidentDialogId,
  type FormIncident,
  formatAssignablePersonLabel,
  getStatusChangeLabelKey,
  OFFERED_STATUS_CHANGES,
  REFUSED_FORM_CLASSES,
  type StatusChange,
} from "./incident-fields.ts";
import { useIncidentForms } from "./incident-forms.tsx";
import { OutcomeMessageFields } from "./outcome-fields.tsx";
import { buildStatusConflictVersions, IncidentStatus } from "./status-versions.tsx";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

/** Client components, so that React's data in the page doesn't hold the parts of dialogs that nobody has opened. */

/**
 * Changes whose dialogs always stay in the page, because somebody may be typing in one while the status
 * changes.
 */
const CHANGES_WITH_DIALOG = ["investigating", "resolved", "closed", "reopen"] as const;

type ChangeWithDialog = (typeof CHANGES_WITH_DIALOG)[number];

type BarProps = {
  mayRetitle: boolean;
  /** Shown before the most likely change: the button "Assign to me". */
  children: ReactNode;
  /** Other items of the menu "More". */
  others: ReactNode;
};

/** Shows the most likely next status change as the primary button; on a phone at the foot of the screen. */
export function IncidentActionBar({ mayRetitle, children, others }: BarProps) {
  const t = useTranslator("incidentPage");
  const { incident } = useIncidentForms();
  const [first] = OFFERED_STATUS_CHANGES[incident.state];
  return (
    <div
      data-more=""
      className="no-print flex items-center gap-2 min-[50rem]:whitespace-nowrap max-[50rem]:fixed max-[50rem]:inset-x-0 max-[50rem]:bottom-0 max-[50rem]:z-30 max-[50rem]:border-t max-[50rem]:border-line max-[50rem]:bg-surface max-[50rem]:px-4 max-[50rem]:py-2"
    >
      <WriteLink />
      {children}
      <AcknowledgeForm />
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
      <CaseFileLink />
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

function CaseFileLink() {
  const t = useTranslator("incidentPage");
  const { incident } = useIncidentForms();
  return (
    <a
      href={`/e/${incident.event.slug}/i/${incident.id}/case-file`}
      className={MENU_ITEM_CLASS}
      data-command={t("downloadCase")}
    >
      {t("downloadCase")}
    </a>
  );
}

/** A form that acknowledges the incident with one press. It stays when its button disappears, to show the result. */
function AcknowledgeForm() {
  const t = useTranslator("incidentPage");
  const { incident, writing } = useIncidentForms();
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

/** The forms for status changes, in dialogs that buttons of the page open. */
export function StatusChangeForms() {
  const { incident } = useIncidentForms();
  const offered = OFFERED_STATUS_CHANGES[incident.state];
  return CHANGES_WITH_DIALOG.map((move) => (
    <StatusForm key={move} move={move} offered={offered.includes(move)} />
  ));
}

function StatusForm({ move, offered }: { move: ChangeWithDialog; offered: boolean }) {
  const t = useTranslator("incidentPage");
  const { incident, isReporterReachable, writing, outcome } = useIncidentForms();
  const ending = isReporterReachable ? findEndingState(move, incident) : null;
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
        <AssigneeField required={move === "investigating"} />
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
 * any other change.
 */
const findEndingState = (move: StatusChange, { state }: FormIncident): IncidentStateWithOutcome | null =>
  move === "closed" || (move === "resolved" && state !== "closed") ? move : null;

function AssigneeField({ required }: { required: boolean }) {
  const t = useTranslator("incidentPage");
  const { incident, people } = useIncidentForms();
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

const getSubmitLabelKey = (move: ChangeWithDialog, state: IncidentState) =>
  move === "resolved" && state === "closed" ? "send.back" : (`send.${move}` as const);

function getHintKey(move: StatusChange, { resolution }: FormIncident) {
  if (move === "investigating") return "hint.investigating";
  if (move === "reopen") return "hint.reopen";
  return move === "resolved" && !resolution ? "hint.resolved" : "hint.teamOnly";
}
