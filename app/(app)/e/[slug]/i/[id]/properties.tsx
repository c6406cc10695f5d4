"use client";

import clsx from "clsx";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslator } from "#i18n";
import { Avatar } from "#components/ui/avatar.tsx";
import { buildButtonClass } from "#components/ui/button.tsx";
import { OpenDialogButton } from "#components/ui/dialog.tsx";
import { SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import { SEVERITIES } from "#lib/incidents/limits.ts";
import { useFormContext } from "#components/ui/form-context.ts";
import { buildFormerValueFields } from "./undo.ts";
import { changeStatusAction, updateIncidentAction } from "./actions.ts";
import {
  buildIncidentDialogId,
  buildHiddenFieldsForLaterUndo,
  buildIncidentHiddenFormFields,
  formatAssignablePersonLabel,
  getStatusChangeLabelKey,
  REFUSED_FORM_CLASSES,
  OFFERED_STATUS_CHANGES,
} from "./incident-fields.ts";
import { useIncidentForms } from "./incident-forms.tsx";
import { buildStatusConflictVersions } from "./status-versions.tsx";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

/**
 * Buttons that change an incident's status, severity or assignee in one press. `data-command` offers a button in the
 * quick jump, and `data-keys` names the key that moves the focus to a group: see incident-keys.tsx. They are client
 * components, so that React's data in the page doesn't hold their parts.
 */

/** `unlistedCount`: people on the team who can't be assigned, since the incident is hidden from them. */
type AssigneeProps = { unlistedCount: number };

export function IncidentPropertyControls(props: AssigneeProps) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  return (
    <section
      id="properties"
      aria-label={t("properties")}
      className="no-print scroll-mt-40 grid min-w-0 gap-4 rounded-surface border border-line bg-surface p-4"
    >
      <PropertyGroup label={tIncident("field.state")} keyed="s">
        <StatusButtons />
      </PropertyGroup>
      <PropertyGroup label={tIncident("field.severity")} keyed="v">
        <SeverityButtons />
      </PropertyGroup>
      <PropertyGroup label={tIncident("field.assignee")} keyed="A">
        <AssigneeButtons {...props} />
      </PropertyGroup>
    </section>
  );
}

type GroupProps = { label: string; keyed: string; children: ReactNode };

function PropertyGroup({ label, keyed, children }: GroupProps) {
  return (
    <div className="grid min-w-0 gap-1.5">
      <h2 className="text-sm font-[550] text-muted">{label}</h2>
      <div data-keys={keyed} className="min-w-0">
        {children}
      </div>
    </div>
  );
}

/** Changes that need no more than the press; the others ask for a note or a person. */
const ONE_PRESS_CHANGES = ["acknowledged", "submitted"] as const;

/** The changes besides the most likely one, which stands in the header. */
function StatusButtons() {
  const t = useTranslator("incidentPage");
  const { state } = useIncidentForms().incident;
  const [, ...others] = OFFERED_STATUS_CHANGES[state];
  return (
    <div className="flex flex-wrap gap-2">
      {others
        .filter((move) => !ONE_PRESS_CHANGES.some((to) => to === move))
        .map((move) => (
          <OpenDialogButton
            key={move}
            opens={buildIncidentDialogId(move)}
            variant="secondary"
            data-command={t(getStatusChangeLabelKey(move, state))}
          >
            {t(getStatusChangeLabelKey(move, state))}
          </OpenDialogButton>
        ))}
      {ONE_PRESS_CHANGES.map((to) => (
        <StatusButton key={to} to={to} isOffered={others.includes(to)} />
      ))}
    </div>
  );
}

type StatusButtonProps = { to: (typeof ONE_PRESS_CHANGES)[number]; isOffered: boolean };

/** The form stays after its button has disappeared, to show the result. */
function StatusButton({ to, isOffered }: StatusButtonProps) {
  const t = useTranslator("incidentPage");
  const { incident, writing } = useIncidentForms();
  const label = t(getStatusChangeLabelKey(to, incident.state)).replace(/…$/, "").trim();
  return (
    <AccountBoundForm
      writing={writing}
      form={`status:${to}`}
      action={changeStatusAction}
      of={buildHiddenFieldsForLaterUndo(incident)}
      hidden={{ state: to }}
      label={label}
      versions={buildStatusConflictVersions(incident, label)}
      className={clsx("gap-2", !isOffered && "hidden has-[[role=alert]]:grid")}
    >
      <FormToast />
      {isOffered && (
        <SubmitButton variant="secondary" pendingLabel={t("saving")} data-command={label}>
          {label}
        </SubmitButton>
      )}
    </AccountBoundForm>
  );
}

function useSeverityOptions() {
  const t = useTranslator("incident");
  return [...SEVERITIES.toReversed(), "" as const].map((value) => ({
    value,
    label: t(`severity.${value || "none"}`),
  }));
}

function SeverityButtons() {
  const t = useTranslator("incidentPage");
  const { incident, writing } = useIncidentForms();
  const tIncident = useTranslator("incident");
  const options = useSeverityOptions();
  const current = incident.severity ?? "";
  return (
    <AccountBoundForm
      writing={writing}
      form="severity"
      action={updateIncidentAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={buildFormerValueFields({ severity: current })}
      label={tIncident("field.severity")}
      versions={{
        theirs: tIncident(`severity.${incident.severity ?? "none"}`),
        field: "severity",
        valueLabels: Object.fromEntries(options.map(({ value, label }) => [value, label])),
        isPressed: true,
      }}
      className="gap-3"
    >
      <FormToast />
      <div className="flex flex-wrap gap-2">
        {options.map(({ value, label }) => (
          <ChoiceButton
            key={value}
            name="severity"
            value={value}
            isCurrent={value === current}
            command={t("command.severity", { severity: label })}
          >
            {label}
          </ChoiceButton>
        ))}
      </div>
    </AccountBoundForm>
  );
}

type ChoiceProps = {
  name: string;
  value: string;
  isCurrent: boolean;
  command: string;
  children: ReactNode;
};

/** One of several values, the current one pressed. */
function ChoiceButton({ name, value, isCurrent, command, children }: ChoiceProps) {
  return (
    <button
      type="submit"
      name={name}
      value={value}
      aria-pressed={isCurrent}
      data-command={isCurrent ? undefined : command}
      className={buildButtonClass(
        "secondary",
        clsx("!px-3", isCurrent && "!border-accent !bg-accent-soft !text-accent-hover"),
      )}
    >
      {isCurrent && <Icon as="check" size={16} />}
      {children}
    </button>
  );
}

function AssigneeButtons({ unlistedCount }: AssigneeProps) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { incident, people } = useIncidentForms();
  const { assignedResponder, assignedResponderId } = incident;
  const choices = [
    ...people
      .filter(({ id }) => id !== assignedResponderId)
      .map((person) => ({
        value: person.id,
        name: person.name,
        label: formatAssignablePersonLabel(person, t),
      })),
    ...(assignedResponder ? [{ value: "", name: "", label: t("nobody") }] : []),
  ];
  return (
    <div className="relative flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="flex min-w-0 items-center gap-2 wrap-anywhere">
        {assignedResponder && <Avatar name={assignedResponder.name} size="small" />}
        <bdi>{assignedResponder?.name ?? tIncident("unassigned")}</bdi>
      </p>
      {/* The list is as wide as the panel at most, wherever the button stands. */}
      <Menu
        align="start"
        className="!static *:last:max-w-full"
        triggerClass={buildButtonClass("secondary")}
        trigger={
          <>
            {t("assignTo")} <Icon as="chevron-down" size={16} />
          </>
        }
      >
        <AssigneeForm choices={choices} />
        {unlistedCount > 0 && (
          <p className="px-3 py-1 text-sm text-muted">{t("assignUnlisted", { count: unlistedCount })}</p>
        )}
      </Menu>
    </div>
  );
}

type AssigneeFormProps = { choices: readonly { value: string; name: string; label: string }[] };

function AssigneeForm({ choices }: AssigneeFormProps) {
  const { incident, writing, people } = useIncidentForms();
  const tIncident = useTranslator("incident");
  const theirs = incident.assignedResponder?.name ?? tIncident("unassigned");
  return (
    <AccountBoundForm
      writing={writing}
      form="assignee"
      action={updateIncidentAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={buildFormerValueFields({ assignedResponderId: incident.assignedResponderId })}
      label={tIncident("field.assignee")}
      versions={{
        theirs,
        field: "assignedResponderId",
        valueLabels: {
          "": tIncident("unassigned"),
          ...Object.fromEntries(people.map(({ id, name }) => [id, name])),
        },
        isPressed: true,
      }}
      className="gap-1"
    >
      <FormToast />
      <CloseMenuOnSuccess />
      <AssigneeChoices choices={choices} />
    </AccountBoundForm>
  );
}

function AssigneeChoices({ choices }: AssigneeFormProps) {
  const t = useTranslator("incidentPage");
  return (
    <div className="grid max-h-72 overflow-y-auto">
      {choices.map(({ value, name, label }) => (
        <button
          key={value}
          type="submit"
          name="assignedResponderId"
          value={value}
          className={MENU_ITEM_CLASS}
          data-command={value ? t("command.assign", { name }) : t("command.unassign")}
        >
          <bdi className="min-w-0 wrap-anywhere">{label}</bdi>
        </button>
      ))}
    </div>
  );
}

/**
 * A button that assigns the incident to the viewer. After the press, the button disappears and its form stays to show
 * the result.
 */
export function AssignToMeButton() {
  const { incident, writing, people } = useIncidentForms();
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { writer } = writing;
  const mayTake = people.some(({ id }) => id === writer) && incident.assignedResponderId !== writer;
  const theirs = incident.assignedResponder?.name ?? tIncident("unassigned");
  return (
    <AccountBoundForm
      writing={writing}
      form="take"
      id="take"
      action={updateIncidentAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={{
        ...buildFormerValueFields({ assignedResponderId: incident.assignedResponderId }),
        assignedResponderId: writer,
      }}
      label={t("assignToMe")}
      versions={{ theirs, yours: t("assignToMe"), field: "none" }}
      className={clsx(mayTake ? "gap-2 max-[50rem]:grow" : "hidden", REFUSED_FORM_CLASSES)}
    >
      <FormToast />
      {mayTake && (
        <SubmitButton
          variant="secondary"
          pendingLabel={t("saving")}
          aria-keyshortcuts="a"
          data-command={t("assignToMe")}
          className="w-full max-[50rem]:!px-3"
        >
          {t("assignToMe")}
        </SubmitButton>
      )}
    </AccountBoundForm>
  );
}

/** Placed in a form of a menu: closes the menu once the form has succeeded. */
function CloseMenuOnSuccess() {
  const { state } = useFormContext();
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const menu = state.ok && place.current?.closest("details");
    if (!menu) return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus({ preventScroll: true });
  }, [state]);
  return <span ref={place} hidden />;
}
