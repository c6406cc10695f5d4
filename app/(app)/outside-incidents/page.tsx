import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { SeverityBadge, StatusBadge } from "#components/incident/badges.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Link } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Time } from "#components/ui/time.tsx";
import { listOwnOutsideIncidents } from "#lib/readers/operations.ts";
import { loadPageData } from "#lib/http/page.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("jump"))("outsideIncidents") };
}

/** The reports that the viewer reads as an outside person, since nobody on their teams may. */
export default definePage(async function OutsideIncidents() {
  const { incidents } = await loadPageData(listOwnOutsideIncidents);
  const now = new Date();
  const t = useTranslator("incidentPage");
  const tJump = useTranslator("jump");
  const tIncident = useTranslator("incident");
  return (
    <div className="grid gap-5">
      <PageHeader
        title={tJump("outsideIncidents")}
        meta={
          <p className="max-w-[68ch]">
            {t(incidents.length > 0 ? "outsideIncidents.about" : "outsideIncidents.none")}
          </p>
        }
      />
      {incidents.length > 0 && (
        <ul className="divide-y divide-line rounded-surface border border-line bg-surface">
          {incidents.map(({ id, title, state, severity, createdAt, event }) => (
            <li key={id} className="grid gap-1 px-4 py-3">
              <Link
                href={`/e/${event.slug}/i/${id}`}
                className="text-link inline-flex min-h-11 items-center font-[550] wrap-anywhere"
              >
                <bdi>{title ?? tIncident("unopened")}</bdi>
              </Link>
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
                <StatusBadge state={state} />
                <SeverityBadge severity={severity} />
                <bdi>{event.name}</bdi>
                <Time value={createdAt} now={now} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
});
