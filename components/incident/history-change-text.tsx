import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { useIncidentTimeFormatter } from "#components/incident/incident-time.tsx";
import { EDITED_FIELD_NAMES, EDITED_FIELDS, parseTimeFields } from "#lib/incidents/workflow-fields.ts";
import { INTAKE_CHANNELS } from "#lib/conversations/intake-schema.ts";
import { OTHER_PARTIES } from "#lib/conversations/schema.ts";

type Change = { action: string; from: string | null; to: string | null };

/** Describes an entry of the history that isn't a note or message. */
export function HistoryChangeText({ entry }: { entry: Change }): ReactNode {
  if (entry.action === "when") return <TimeChangeText {...entry} />;
  const isEdited = EDITED_FIELD_NAMES.some((name) => EDITED_FIELDS[name].action === entry.action);
  return isEdited ? <EditedFieldText {...entry} /> : <OtherChangeText {...entry} />;
}

/** Describes the change of a field that the team edits. */
function EditedFieldText({ action, from, to }: Change): ReactNode {
  const t = useTranslator("incident");
  const team = useTranslator("incidentPage");
  const assigneeChange = useAssigneeChangeFormatter();
  if (action === "assignee") return assigneeChange(from, to);
  if (action === "resolution") return team(to ? "did.resolution" : "did.resolutionGone");
  const nameKind = (value: string | null) => {
    const kind = parseIncidentKind(value);
    return kind && t(`kind.${kind}`);
  };
  const named = (value: string | null) =>
    (action === "severity" && findKnownName(SEVERITIES, value, (name) => t(`severity.${name}`))) ||
    (action === "kind" && nameKind(value)) ||
    value ||
    t("severity.none");
  return team("did.changed", {
    field: t(`field.${action}` as "field.severity"),
    from: named(from),
    to: named(to),
  });
}

function TimeChangeText({ from, to }: Change): ReactNode {
  const t = useTranslator("incident");
  const team = useTranslator("incidentPage");
  const formatTime = useIncidentTimeFormatter();
  const shown = (text: string | null) => (text && formatTime(parseTimeFields(text))) || t("severity.none");
  return team("did.changed", { field: t("field.when"), from: shown(from), to: shown(to) });
}

function OtherChangeText({ action, from, to }: Change): ReactNode {
  const t = useTranslator("ownReport");
  const team = useTranslator("incidentPage");
  const state = useStateName();
  switch (action) {
    case "state":
    case "reopen":
      return t(`did.${action}`, { from: state(from), to: state(to) });
    case "title":
      return team("did.title", { from: from ?? "" });
    case "reportedPerson":
      return team("did.reportedPerson", { from: from || team("did.noName"), to: to || team("did.noName") });
    case "deadline":
      return team("did.deadline", { within: to ?? "" });
    case "file.changed":
    case "file.original":
      return team(`did.${action}`, { name: to ?? from ?? t("removedSince") });
    case "hidden":
    case "letIn": {
      const name = to ?? from;
      return name ? team(`did.${action}`, { name }) : team(`did.${action}.gone`);
    }
    case "file.added":
    case "file.deleted":
      return t(`did.${action}`, { name: to ?? t("removedSince") });
    case "person.added":
    case "person.changed":
    case "person.removed":
      return team(`did.${action}`, { name: to ?? from ?? "" });
    default:
      return <PlainChange action={action} from={from} to={to} />;
  }
}

/** Describes a change that has no old and new value to show. */
function PlainChange({ action, from, to }: Change): ReactNode {
  const t = useTranslator("ownReport");
  const team = useTranslator("incidentPage");
  switch (action) {
    case "submitted":
    case "emergency":
    case "message":
    case "message.edited":
    case "message.deleted":
      return t(`did.${action}`);
    case "listEnded":
    case "withdrawn":
    case "mailbox.closed":
    case "note":
    case "note.edited":
    case "note.deleted":
      return team(`did.${action}`);
    default:
      return <TeamEntryDescription action={action} from={from} to={to} />;
  }
}

/** Describes entries that only the team sees: reports taken on someone's behalf, and conversations. */
function TeamEntryDescription(entry: Change): ReactNode {
  if (entry.action.startsWith("intake")) return <IntakeDescription {...entry} />;
  return entry.action.startsWith("conversation.") ? <ConversationDescription {...entry} /> : entry.action;
}

/** Describes messages to and from reported people and witnesses (contract 14.5): their kind, never their text. */
function ConversationDescription({ action, to }: Change): ReactNode {
  const t = useTranslator("conversations");
  if (action === "conversation.created")
    return t("entry.created", { party: findKnownName(OTHER_PARTIES, to, (name) => t(`party.${name}`)) });
  if (action === "conversation.read") return t("entry.read");
  if (action === "conversation.closed") return t("entry.closed");
  if (action === "conversation.renewed") return t("entry.renewed");
  if (action === "conversation.sent") return t(to === "decision" ? "entry.decision" : "entry.message");
  return t(to === "appeal" ? "entry.appeal" : to === "files" ? "entry.files" : "entry.received");
}

/** Describes that a team member took a report on someone's behalf, or that the person confirmed it (contract 14.4). */
function IntakeDescription({ action, to }: Change): ReactNode {
  const t = useTranslator("intake");
  if (action === "intake.confirmed") return t(to === "corrected" ? "entry.corrected" : "entry.confirmed");
  const channel = findKnownName(INTAKE_CHANNELS, to, (name) => t(`channel.${name}`));
  return t("entry.taken", { channel });
}

/** Returns a function that describes a change of assignee. */
function useAssigneeChangeFormatter() {
  const team = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  return (from: string | null, to: string | null): string => {
    if (!to) return team("did.unassigned", { from: from ?? tIncident("gone") });
    return from ? team("did.reassigned", { from, to }) : team("did.assigned", { to });
  };
}

function useStateName() {
  const t = useTranslator("incident");
  return (value: string | null) => findKnownName(INCIDENT_STATES, value, (name) => t(`state.${name}`));
}

function findKnownName<Name extends string>(
  names: readonly Name[],
  value: string | null,
  formatName: (name: Name) => string,
): string {
  const knownName = names.find((name) => name === value);
  return knownName ? formatName(knownName) : (value ?? "");
}
