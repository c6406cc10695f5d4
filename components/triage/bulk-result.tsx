import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { useTranslator } from "#i18n";
import { applyBulkActionAndRedirect } from "./actions.ts";
import { type BulkFailureReason, BULK_FAILURE_REASONS } from "./bulk-actions.ts";

type Props = {
  path: string;
  /** The form's ticket, which names the account that the page was rendered for (sealWriterIdAsFormTicket). */
  ticket: string;
  /** Query string of the list's page, to apply an action to all matching rows. */
  view: string;
  /** Slug of the one event that the list covers. */
  event: string | null;
  query: SearchParams;
  incidents: readonly { id: string; title: string }[];
};

/**
 * Shows the result of a bulk action that was submitted without script, as the URL reports it, and a form to continue
 * if more incidents match.
 */
export function BulkActionUrlResultNotice(props: Props) {
  const { query, incidents } = props;
  const t = useTranslator("inbox");
  const why = useTranslator("inboxClient");
  const failed = parseBulkFailuresQuery(query);
  if (typeof query.done !== "string" || !/^\d{1,7}$/.test(query.done)) return null;
  const namedFailures = failed.flatMap(({ id, why: reason }) => {
    const title = incidents.find((incident) => incident.id === id)?.title;
    return title ? [{ title, reason }] : [];
  });
  const elsewhere = failed.filter(({ id }) => !incidents.some((incident) => incident.id === id));
  return (
    <Notice kind={failed.length > 0 ? "warning" : "success"}>
      <p>{t("outcome", { count: Number(query.done) })}</p>
      {failed.length > 0 && (
        <>
          <p className="font-[650]">{t("failed", { count: failed.length })}</p>
          <ul className="grid gap-1">
            {namedFailures.map(({ title, reason }) => (
              <li key={title} className="wrap-anywhere">
                {t("failedRow", { title, why: why(`why.${reason}`) })}
              </li>
            ))}
            {[...Map.groupBy(elsewhere, (one) => one.why)].map(([reason, of]) => (
              <li key={reason}>
                {t("failedRow", { title: t("notOnPage", { count: of.length }), why: why(`why.${reason}`) })}
              </li>
            ))}
          </ul>
        </>
      )}
      <RemainingMatchesForm {...props} />
    </Notice>
  );
}

/** Continues with the next hundred matching rows. */
function RemainingMatchesForm({ path, ticket, view, event, query }: Props) {
  const t = useTranslator("inbox");
  const [actionName = "", after = ""] = (readSingleSearchParam(query, "rest") ?? "").split(" ");
  if (!actionName) return null;
  return (
    <form action={applyBulkActionAndRedirect} className="grid gap-2 justify-items-start">
      <input type="hidden" name="path" value={path} />
      <input type="hidden" name="ticket" value={ticket} />
      <input type="hidden" name="view" value={view} />
      {event && <input type="hidden" name="event" value={event} />}
      <input type="hidden" name="all" value="1" />
      <input type="hidden" name="after" value={after} />
      <input type="hidden" name="sofar" value={readSingleSearchParam(query, "done") ?? "0"} />
      <p>{t("restAbout")}</p>
      <Button type="submit" name="do" value={actionName} variant="primary">
        {t("restGo")}
      </Button>
    </form>
  );
}

export function parseBulkFailuresQuery({ failed }: SearchParams): { id: string; why: BulkFailureReason }[] {
  if (typeof failed !== "string") return [];
  return failed.split(",", 100).flatMap((one) => {
    const [id = "", code] = one.split(":");
    const why = BULK_FAILURE_REASONS.find((reason) => reason === code);
    return why ? [{ id, why }] : [];
  });
}
