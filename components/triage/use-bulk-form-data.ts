import { SEVERITIES } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";
import { UNCHOSEN_SEVERITY } from "./forms.ts";
import type { BulkFormLabelsAndOptions } from "./bulk-form.tsx";

type Props = {
  path: string;
  /** The form's ticket, which names the account that the page was rendered for (sealWriterIdAsFormTicket). */
  ticket: string;
  /** Query string of the list's page, to apply an action to all matching rows. */
  query: string;
  /** Slug of the one event that the list covers. */
  event: string | null;
  total: number;
  shown: number;
  /** Possible assignees, if the list covers one event. */
  people: readonly { id: string; name: string }[];
};

/** Returns the labels and options of the bulk actions for `BulkForm`. */
export function useBulkFormLabelsAndOptions({
  path,
  ticket,
  query,
  event,
  total,
  shown,
  people,
}: Props): BulkFormLabelsAndOptions {
  const t = useTranslator("inbox");
  const tIncident = useTranslator("incident");
  const hiddenFields = { path, ticket, view: query, ...(event && { event }), total: String(total) };
  return {
    preservedParams: Object.entries(hiddenFields),
    people: [
      { value: "me", label: t("me") },
      { value: "", label: t("nobody") },
      ...people.map(({ id, name }) => ({ value: id, label: name })),
    ],
    severities: [
      { value: UNCHOSEN_SEVERITY, label: `${tIncident("field.severity")}…`, chosen: true },
      ...[...SEVERITIES.toReversed(), "none" as const].map((value) => ({
        value: value === "none" ? "" : value,
        label: tIncident(`severity.${value}`),
      })),
    ],
    labels: {
      selected: t("selected"),
      selectPage: t("selectPage", { count: shown }),
      unselect: t("unselect"),
      assignTo: t("assignTo"),
      assign: t("assign"),
      acknowledge: t("acknowledge"),
      severity: tIncident("field.severity"),
      set: t("set"),
      export: t("export"),
    },
    selectAll: total > shown ? t("selectAll", { count: total }) : null,
  };
}
