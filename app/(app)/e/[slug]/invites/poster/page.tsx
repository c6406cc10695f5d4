import type { Metadata } from "next";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventPageMetadata,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { loadPageData, getActorOrRedirectToSignIn, throwForbidden } from "#lib/http/page.ts";
import { readSingleSearchParam } from "#lib/design/query.ts";
import { openEventPoster } from "#lib/events/operations.ts";
import { can } from "#lib/operation/policy.ts";
import { Poster } from "../poster.tsx";

export const generateMetadata = async ({ params }: EventPageProps): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("poster.title"));

/** The poster that says where to report, for the team. */
export default definePage(async function ReportPoster({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const event = await loadPublicEventAndSetZone(slug);
  if (!can(actor, "event.showQr", { eventId: event.id })) throwForbidden();
  const { address } = await loadPageData(openEventPoster, { slug });
  const t = await getTranslator("eventAdmin");
  const base = `/e/${slug}`;
  return (
    <div className="grid gap-4">
      <Breadcrumbs
        items={[
          { label: event.name, href: base },
          { label: t("team.title"), href: `${base}/team` },
        ]}
      />
      <h1 className="no-print text-2xl sm:text-3xl">{t("poster.title")}</h1>
      <LocalAddressNotice />
      <Poster
        purpose="report"
        event={event}
        address={address}
        qr={`/api/events/slug/${slug}/qr`}
        path={`${base}/invites/poster`}
        language={readSingleSearchParam(await searchParams, "lang")}
      />
    </div>
  );
});
