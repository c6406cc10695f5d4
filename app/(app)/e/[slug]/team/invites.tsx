import { useTranslator } from "#i18n";
import { InviteByEmailForm } from "#components/invite/invite-by-email.tsx";
import { findInviteEndReason } from "#components/invite/invite-end-reason.ts";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { env } from "#lib/env.ts";
import { type EventInviteRecord, InviteItem } from "./invite-item.tsx";
import { NewEventInviteForm } from "./new-invite.tsx";

type Props = {
  event: { slug: string; timeZone: string | null };
  invites: readonly EventInviteRecord[];
  /** What was just done to an invite. */
  after: unknown;
  /** Who invites. */
  userId: string;
  now: Date;
};

/** Invites to join an event, and the link for reporting. */
export function EventInvites({ event: { slug, timeZone }, invites, after, userId, now }: Props) {
  const t = useTranslator("eventAdmin");
  const invite = useTranslator("invite");
  return (
    <section id="invites" aria-labelledby="invites-title" className="grid scroll-mt-4 gap-6">
      <h2 id="invites-title" className="text-xl">
        {t("invites.title")}
      </h2>
      <LocalAddressNotice />
      <CompletedActionNotice after={after} messages={{ off: t("invites.nowOff"), on: t("invites.nowOn") }} />
      <div className="grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <div className="grid gap-6">
          <Card title={invite("byEmail")}>
            <InviteByEmailForm to={{ event: slug }} userId={userId} />
          </Card>
          <Card title={t("invites.new")}>
            <NewEventInviteForm slug={slug} timeZone={timeZone} />
          </Card>
        </div>
        <div className="grid gap-6">
          <Card title={t("invites.list")}>
            <InviteList invites={invites} slug={slug} now={now} />
          </Card>
          <Card title={t("invites.public")}>
            <PublicLink slug={slug} />
          </Card>
        </div>
      </div>
    </section>
  );
}

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
