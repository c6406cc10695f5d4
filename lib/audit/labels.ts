import { getPresentActionName } from "#lib/audit/actions.ts";
import { createTranslatorForLocale, getMessages } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";

type LabeledEntry = { action: string; data: Readonly<Record<string, unknown>> };

/** Creates labels for the values of an audit entry; values without a message are shown as logged. */
export function createAuditLabels(locale: Locale) {
  const t = createTranslatorForLocale(locale, "audit");
  const incident = createTranslatorForLocale(locale, "incident");
  const labelFor = createLookup(locale, "audit");
  const incidentLabel = createLookup(locale, "incident");
  const roleName = (name: string) => incidentLabel(`role.${name}`, name);
  const labelAction = (action: string) =>
    action.endsWith(".")
      ? t("everythingAbout", { group: labelFor(`group.${action.slice(0, -1)}`, action) })
      : labelFor(`action.${getPresentActionName(action)}`, action);
  const list = new Intl.ListFormat(locale, { type: "unit" });
  const listFields = ({ fields }: LabeledEntry["data"]) =>
    Array.isArray(fields) ? fields.map((field) => labelFor(`field.${field}`, String(field))) : [];
  return {
    /** What was done, and what it changed: "Changed the severity to High", "Changed the event: Name, Website". */
    entry: ({ action, data }: LabeledEntry) => {
      const changes =
        action === "incident.change"
          ? listIncidentChanges(data, { t, incident, labelFor, incidentLabel })
          : [];
      const what = changes.length > 0 ? changes.join(" · ") : labelAction(action);
      const fields = listFields(data);
      const whole = fields.length > 0 ? t("withFields", { what, fields: list.format(fields) }) : what;
      return data.undo === true ? t("undone", { what: whole }) : whole;
    },
    /** "Created an invite" for `invite.create`; "Invites: all actions" for `invite.`. */
    action: labelAction,
    kind: (type: string) => labelFor(`kind.${type}`, type),
    roleName,
    /** The right used: "Event role: Admin" for `event:Admin`. */
    right: (right: string) => {
      const [place = "", held = ""] = right.split(":");
      if (place === "escalationContact") return t("right.outsidePerson");
      if (held === "Reporter(own)") return t("right.own");
      if (place === "token") return t("right.token");
      if (place === "event" && held !== "") return t("right.event", { role: roleName(held) });
      return labelFor(`right.${held || place}`, right);
    },
  };
}

/** Creates a function that looks for a message under a key, and takes another text where there is none. */
function createLookup(locale: Locale, namespace: "audit" | "incident") {
  const messages = getMessages(locale, namespace);
  const t = createTranslatorForLocale(locale, namespace);
  return (key: string, otherwise: string) => (key in messages ? t(key as never) : otherwise);
}

type Lookup = ReturnType<typeof createLookup>;

type ChangeTranslators = {
  t: ReturnType<typeof createTranslatorForLocale<"audit">>;
  incident: ReturnType<typeof createTranslatorForLocale<"incident">>;
  labelFor: Lookup;
  incidentLabel: Lookup;
};

/** Fields of an incident that people read under another name. */
const LABEL_NAMES: Readonly<Record<string, string>> = { type: "kind", location: "where", incidentAt: "when" };

/**
 * Lists what the status and the severity of an incident are now, and which other fields changed. Entries from before fields
 * were named have the statuses alone.
 */
function listIncidentChanges(
  { changed, fromState, toState, severity }: LabeledEntry["data"],
  { t, incident, labelFor, incidentLabel }: ChangeTranslators,
): string[] {
  const fields = Array.isArray(changed) ? changed : fromState === toState ? [] : ["state"];
  const labelState = (state: unknown) => incident(`state.${state}` as "state.submitted");
  return fields.map((field) => {
    if (field === "state")
      return t("changed.state", { from: labelState(fromState), to: labelState(toState) });
    if (field === "severity")
      return t("changed.severity", { to: incident(`severity.${severity ?? "none"}` as "severity.none") });
    const named = {
      what: t("action.incident.change"),
      fields: incidentLabel(`field.${LABEL_NAMES[String(field)] ?? field}`, String(field)),
    };
    return labelFor(`changed.${field}`, t("withFields", named));
  });
}
