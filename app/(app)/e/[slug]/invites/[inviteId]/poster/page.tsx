import type { Metadata } from "next";
import { eventBySlug, eventTitle } from "#components/event/this-event.ts";
import { whyEnded } from "#components/invite/why-ended.ts";
import { page } from "#components/shell/page.tsx";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { absent, mustBeSignedIn, show } from "#lib/http/page.ts";
import { type Query, valueIn } from "#lib/design/query.ts";
import { listEventInvites } from "#lib/invites/operations.ts";
import { Poster, type PosterKind } from "../../poster.tsx";

type Props = { params: Promise<{ slug: string; inviteId: string }>; searchParams: Promise<Query> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  eventTitle(params, (await pageWords("eventAdmin"))("poster.title"));

/** The poster with which people join an event, for its Admins. */
export default page(async function InvitePoster({ params, searchParams }: Props) {
  const { slug, inviteId } = await params;
  await mustBeSignedIn();
  const { invites } = await show(listEventInvites, { slug });
  const invite = invites.find(({ id }) => id === inviteId) ?? absent();
  const event = await eventBySlug(slug);
  const t = await pageWords("eventAdmin");
  const base = `/e/${slug}/invites`;
  return (
    <div className="grid gap-4">
      <Breadcrumbs
        items={[
          { label: event.name, href: `/e/${slug}` },
          { label: t("invites.title"), href: base },
        ]}
      />
      <h1 className="no-print text-2xl sm:text-3xl">{t("poster.title")}</h1>
      <Poster
        kind={invite.role as PosterKind}
        event={event}
        address={invite.url}
        qr={`/api/events/slug/${slug}/invites/${inviteId}/qr`}
        path={`${base}/${inviteId}/poster`}
        language={valueIn(await searchParams, "lang")}
        expiresAt={invite.expiresAt}
        ended={whyEnded(invite, new Date()) !== null}
      />
    </div>
  );
});
