import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventPageMetadata,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { findInviteEndReason } from "#components/invite/invite-end-reason.ts";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { env } from "#lib/env.ts";
import { listEventInvites } from "#lib/invites/operations.ts";
import { type EventInviteRecord, InviteItem } from "./invite-item.tsx";
import { NewEventInviteForm } from "./new-invite.tsx";

export const generateMetadata = async ({ params }: EventPageProps): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("invites.title"));

/** Invites to join an event, and the link for reporting. */
export default definePage(async function EventInvites({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const actor = await getActorOrRedirectToSignIn();
  const { invites } = await loadPageData(listEventInvites, { slug });
  const event = await loadPublicEventAndSetZone(slug);
  const t = await getTranslator("eventAdmin");
  return (
    <div className="grid gap-6">
      <EventHeader event={event} actor={actor} current="invites" title={t("invites.title")} />
      <LocalAddressNotice />
      <CompletedActionNotice
        after={query.after}
        messages={{ off: t("invites.nowOff"), on: t("invites.nowOn") }}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <Card title={t("invites.new")}>
          <NewEventInviteForm
            slug={slug}
            timeZone={event.timeZone}
            role={EVENT_ROLES.find((role) => role === query.role) ?? "Reporter"}
          />
        </Card>
        <div className="grid gap-6">
          <Card title={t("invites.list")}>
            <InviteList invites={invites} slug={slug} now={new Date()} />
          </Card>
          <Card title={t("invites.public")}>
            <PublicLink slug={slug} />
          </Card>
        </div>
      </div>
    </div>
  );
});

type ListProps = { invites: readonly EventInviteRecord[]; slug: string; now: Date };

function InviteList({ invites, slug, now }: ListProps) {
  const t = useTranslator("eventAdmin");
  const working = invites.filter((invite) => findInviteEndReason(invite, now) === null);
  const endedInvites = invites.filter((invite) => findInviteEndReason(invite, now) !== null);
  if (invites.length === 0) return <p className="text-muted">{t("invites.none")}</p>;
  return (
    <div className="grid gap-4">
      {working.length === 0 ? (
        <p className="text-muted">{t("invites.allEnded")}</p>
      ) : (
        <InviteItems invites={working} slug={slug} now={now} />
      )}
      {endedInvites.length > 0 && (
        <Disclosure summary={t("invites.ended", { count: endedInvites.length })}>
          <InviteItems invites={endedInvites} slug={slug} now={now} />
        </Disclosure>
      )}
    </div>
  );
}

function InviteItems({ invites, slug, now }: ListProps) {
  return (
    <ul className="divide-y divide-line">
      {invites.map((invite) => (
        <InviteItem key={invite.id} invite={invite} slug={slug} now={now} />
      ))}
    </ul>
  );
}

function PublicLink({ slug }: { slug: string }) {
  const t = useTranslator("eventAdmin");
  return (
    <div className="grid gap-4">
      <p className="text-muted">{t("invites.publicAbout")}</p>
      <CopyField label={t("invites.link")} value={`${env().baseUrl}/e/${slug}`} />
      <div>
        <LinkButton href={`/e/${slug}/invites/poster`} icon="printer">
          {t("invites.poster")}
        </LinkButton>
      </div>
    </div>
  );
}
