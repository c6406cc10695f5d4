import { useTimeFormatOptions, useTranslator } from "#i18n";
import { CheckboxGroup } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { formatDate } from "#lib/design/time.ts";
import { handOverIncidentsAction } from "../actions.ts";

type HeldIncident = {
  id: string;
  title: string;
  state: "submitted" | "acknowledged" | "investigating";
  severity: "low" | "medium" | "high" | "critical" | null;
  createdAt: string;
};

type Props = {
  hidden: { slug: string; userId: string };
  holdings: { incidents: readonly HeldIncident[]; pagination: { total: number } };
  /** People who can take over the incidents. */
  takers: readonly { id: string; name: string }[];
};

/** A person's open incidents, and a form to hand them over. */
export function IncidentHandoverForm({ hidden, holdings, takers }: Props) {
  const t = useTranslator("eventAdmin");
  // The form stays after the last incident is handed over, to show the result.
  return (
    <Form action={handOverIncidentsAction} hidden={hidden} label={t("person.handOver")}>
      {holdings.pagination.total === 0 ? (
        <p className="text-muted">{t("person.assignedNone")}</p>
      ) : (
        <HandoverChoice holdings={holdings} takers={takers} />
      )}
    </Form>
  );
}

function HandoverChoice({ holdings: { incidents, pagination }, takers }: Pick<Props, "holdings" | "takers">) {
  const t = useTranslator("eventAdmin");
  const describe = useIncidentDescription();
  const { total } = pagination;
  return (
    <>
      <CheckboxGroup
        name="incidentIds"
        label={t("person.which")}
        hint={total > incidents.length && t("person.whichFirst", { count: incidents.length, total })}
        options={incidents.map((held) => ({ value: held.id, label: held.title, hint: describe(held) }))}
        defaultValue={incidents.map(({ id }) => id)}
        required
      />
      <RefreshProofSelectField
        name="toUserId"
        label={t("person.handOverTo")}
        prompt={t("person.choose")}
        options={[
          ...takers.map(({ id, name }) => ({ value: id, label: name })),
          { value: "nobody", label: t("person.nobodyYet") },
        ]}
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("person.handingOver")}>{t("person.handOver")}</SubmitButton>
      </FormActions>
    </>
  );
}

/** "Investigating · High · 3 Nov 2026". */
function useIncidentDescription(): (held: HeldIncident) => string {
  const t = useTranslator("incident");
  const times = useTimeFormatOptions();
  return ({ state, severity, createdAt }) =>
    [t(`state.${state}`), t(`severity.${severity ?? "none"}`), formatDate(new Date(createdAt), times)].join(
      " · ",
    );
}
