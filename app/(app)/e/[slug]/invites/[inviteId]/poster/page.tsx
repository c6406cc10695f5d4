import type { Metadata } from "next";
import { loadPublicEventAndSetZone, loadEventPageMetadata } from "#components/event/event-data.ts";
import { findInviteEndReason } from "#components/invite/invite-end-reason.ts";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { throwForbidden, throwNotFound, getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { listEventInvites } from "#lib/invites/operations.ts";
import { Poster, type EventPosterPurpose } from "../../poster.tsx";

type Props = { params: Promise<{ slug: string; inviteId: string }>; searchParams: Promise<SearchParams> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("poster.title"));

/** The poster of an invite to join an event, for its Admins. */
export default definePage(async function InvitePoster({ params, searchParams }: Props) {
  const { slug, inviteId } = await params;
  await getActorOrRedirectToSignIn();
  const { invites } = await loadPageData(listEventInvites, { slug });
  const invite = invites.find(({ id }) => id === inviteId) ?? throwNotFound();
  const event = await loadPublicEventAndSetZone(slug);
  const t = await getTranslator("eventAdmin");
  const base = `/e/${slug}`;
  return (
    <div className="grid gap-4">
      <Breadcrumbs
        items={[
          { label: event.name, href: base },
          { label: t("team.title"), href: `${base}/team#invites` },
        ]}
      />
      <h1 className="no-print text-2xl sm:text-3xl">{t("poster.title")}</h1>
      <LocalAddressNotice />
      <Poster
        purpose={invite.role as EventPosterPurpose}
        event={event}
        address={invite.url ?? throwForbidden()}
        qr={`/api/events/slug/${slug}/invites/${inviteId}/qr`}
        path={`${base}/invites/${inviteId}/poster`}
        language={readSingleSearchParam(await searchParams, "lang")}
        expiresAt={invite.expiresAt}
        ended={findInviteEndReason(invite, new Date()) !== null}
      />
    </div>
  );
});
