import { useTimeFormatOptions, useTranslator } from "#i18n";
import { CheckboxGroup } from "#components/ui/field.tsx";
import { RefreshProofSelectField } from "#components/ui/live-select-field.tsx";
import { Link } from "#components/ui/link.tsx";
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

type Holdings = {
  incidents: readonly HeldIncident[];
  pagination: { total: number };
  /** By status, with those that wait for the viewer's answer to the conflict check. */
  counts: Record<HeldIncident["state"], number>;
};

type Props = {
  hidden: { slug: string; userId: string };
  holdings: Holdings;
  /** People who can take over the incidents. */
  takers: readonly { id: string; name: string }[];
};

/** Counts all open incidents that are assigned to a person; 0 for a viewer who can't hand any over. */
export const countOpenHoldings = (holdings: Pick<Holdings, "counts"> | null): number =>
  holdings ? holdings.counts.submitted + holdings.counts.acknowledged + holdings.counts.investigating : 0;

/** A person's open incidents, and a form to hand them over. */
export function IncidentHandoverForm({ hidden, holdings, takers }: Props) {
  const t = useTranslator("eventAdmin");
  const tConflict = useTranslator("conflict");
  const openCount = countOpenHoldings(holdings);
  const unansweredCount = openCount - holdings.pagination.total;
  // The form stays after the last incident is handed over, to show the result.
  return (
    <Form action={handOverIncidentsAction} hidden={hidden} label={t("person.handOver")}>
      {unansweredCount > 0 && (
        <Link
          href={`/e/${hidden.slug}/incidents#unanswered`}
          className="text-link inline-flex min-h-11 items-center"
        >
          {tConflict("waiting", { count: unansweredCount })}
        </Link>
      )}
      {holdings.pagination.total > 0 && <HandoverChoice holdings={holdings} takers={takers} />}
      {openCount === 0 && <p className="text-muted">{t("person.assignedNone")}</p>}
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
