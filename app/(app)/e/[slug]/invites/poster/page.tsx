import type { Metadata } from "next";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { eventBySlug, eventTitle } from "#components/event/this-event.ts";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, refuse } from "#lib/http/page.ts";
import { type Query, valueIn } from "#lib/design/query.ts";
import { env } from "#lib/env.ts";
import { can } from "#lib/operation/policy.ts";
import { Poster } from "../poster.tsx";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  eventTitle(params, (await pageWords("eventAdmin"))("poster.title"));

/** The poster that says where to report, for the team. */
export default page(async function ReportPoster({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const event = await eventBySlug(slug);
  const subject = { eventId: event.id };
  if (!can(actor, "event.showQr", subject)) refuse();
  const t = await pageWords("eventAdmin");
  const base = `/e/${slug}`;
  return (
    <div className="grid gap-4">
      <Breadcrumbs
        items={[
          { label: event.name, href: base },
          can(actor, "event.manageInvites", subject)
            ? { label: t("invites.title"), href: `${base}/invites` }
            : { label: t("team.title"), href: `${base}/team` },
        ]}
      />
      <h1 className="no-print text-2xl sm:text-3xl">{t("poster.title")}</h1>
      <Poster
        kind="report"
        event={event}
        address={`${env().baseUrl}${base}`}
        qr={`/api/events/slug/${slug}/qr`}
        path={`${base}/invites/poster`}
        language={valueIn(await searchParams, "lang")}
      />
    </div>
  );
});
