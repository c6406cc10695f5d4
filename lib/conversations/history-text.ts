import type { MessageKey, MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { MessageValues } from "#lib/i18n/format.ts";
import { type Incident, SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { formatCalendarDate, formatDateTime, type TimeFormatOptions } from "#lib/design/time.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { EDITED_FIELD_NAMES, EDITED_FIELDS, parseTimeFields } from "#lib/incidents/workflow-fields.ts";
import { INTAKE_CHANNELS } from "#lib/conversations/intake-schema.ts";
import { OTHER_PARTIES } from "#lib/conversations/schema.ts";

/** What the team's history says of a change, for the page and the case file (contract 8.2). */

type Change = { action: string; from: string | null; to: string | null };

/** Returns the translator of a namespace, in the reader's language. */
export type TranslatorLookup = <Name extends MessageNamespace>(
  namespace: Name,
) => (key: MessageKey<Name>, values?: MessageValues) => string;

/** The reader's language, and the zone in which they see times. */
type HistoryTextContext = { translate: TranslatorLookup; format: TimeFormatOptions };

/** Describes an entry of the history without the text of a note or message. */
export function describeHistoryChange(context: HistoryTextContext, entry: Change): string {
  const { translate } = context;
  if (entry.action === "when") return describeTimeChange(context, entry);
  const isEdited = EDITED_FIELD_NAMES.some((name) => EDITED_FIELDS[name].action === entry.action);
  return isEdited ? describeEditedField(translate, entry) : describeOtherChange(translate, entry);
}

/** Actions of reported people and witnesses, whose time is no finer than the day (contract 14.5). */
export const HISTORY_ACTIONS_WITH_DAY_ONLY: readonly string[] = [
  "conversation.received",
  "conversation.read",
];

/** Describes the change of a field that the team edits. */
function describeEditedField(translate: TranslatorLookup, { action, from, to }: Change): string {
  const t = translate("incident");
  const team = translate("incidentPage");
  if (action === "assignee") return describeAssigneeChange(translate, from, to);
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

function describeTimeChange(context: HistoryTextContext, { from, to }: Change): string {
  const t = context.translate("incident");
  const shown = (text: string | null) =>
    (text && formatIncidentTime(parseTimeFields(text), context)) || t("severity.none");
  return context.translate("incidentPage")("did.changed", {
    field: t("field.when"),
    from: shown(from),
    to: shown(to),
  });
}

/** Formats when something happened: a time, or a day with or without a part of it; null where nobody said. */
export function formatIncidentTime(
  {
    incidentAt,
    incidentOn,
    incidentDayPart,
  }: Pick<Incident, "incidentAt" | "incidentOn" | "incidentDayPart">,
  { translate, format }: HistoryTextContext,
): string | null {
  if (!incidentOn) return incidentAt && formatDateTime(new Date(incidentAt), format);
  const day = formatCalendarDate(incidentOn, format.locale);
  return incidentDayPart ? `${day}, ${translate("reportForm")(`dayPart.${incidentDayPart}`)}` : day;
}

function describeOtherChange(translate: TranslatorLookup, { action, from, to }: Change): string {
  const t = translate("ownReport");
  const team = translate("incidentPage");
  const state = (value: string | null) =>
    findKnownName(INCIDENT_STATES, value, (name) => translate("incident")(`state.${name}`));
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
      return describePlainChange(translate, { action, from, to });
  }
}

/** Describes a change that has no old and new value to show. */
function describePlainChange(translate: TranslatorLookup, { action, from, to }: Change): string {
  const t = translate("ownReport");
  const team = translate("incidentPage");
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
      return describeTeamEntry(translate, { action, from, to });
  }
}

/** Describes entries that only the team sees: reports taken on someone's behalf, and conversations. */
function describeTeamEntry(translate: TranslatorLookup, entry: Change): string {
  if (entry.action === "downloaded")
    return translate("caseFile")("did.downloaded", { reason: entry.to ?? "" });
  if (entry.action.startsWith("intake")) return describeIntake(translate, entry);
  return entry.action.startsWith("conversation.") ? describeConversation(translate, entry) : entry.action;
}

/** Describes messages to and from reported people and witnesses (contract 14.5): their kind, never their text. */
function describeConversation(translate: TranslatorLookup, { action, to }: Change): string {
  const t = translate("conversations");
  if (action === "conversation.created")
    return t("entry.created", { party: findKnownName(OTHER_PARTIES, to, (name) => t(`party.${name}`)) });
  if (action === "conversation.read") return t("entry.read");
  if (action === "conversation.closed") return t("entry.closed");
  if (action === "conversation.renewed") return t("entry.renewed");
  if (action === "conversation.sent") return t(to === "decision" ? "entry.decision" : "entry.message");
  return t(to === "appeal" ? "entry.appeal" : to === "files" ? "entry.files" : "entry.received");
}

/** Describes that a team member took a report on someone's behalf, or that the person confirmed it (contract 14.4). */
function describeIntake(translate: TranslatorLookup, { action, to }: Change): string {
  const t = translate("intake");
  if (action === "intake.confirmed") return t(to === "corrected" ? "entry.corrected" : "entry.confirmed");
  const channel = findKnownName(INTAKE_CHANNELS, to, (name) => t(`channel.${name}`));
  return t("entry.taken", { channel });
}

function describeAssigneeChange(translate: TranslatorLookup, from: string | null, to: string | null): string {
  const team = translate("incidentPage");
  if (!to) return team("did.unassigned", { from: from ?? translate("incident")("gone") });
  return from ? team("did.reassigned", { from, to }) : team("did.assigned", { to });
}

function findKnownName<Name extends string>(
  names: readonly Name[],
  value: string | null,
  formatName: (name: Name) => string,
): string {
  const knownName = names.find((name) => name === value);
  return knownName ? formatName(knownName) : (value ?? "");
}
