import { useTranslator } from "#i18n";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

type Props = { actor: Actor; incident: Incident };

/** Tells the escalation contact why they read the incident. */
export function ReferralNotice({ actor, incident }: Props) {
  const t = useTranslator("incidentPage");
  if (actor.referredIncidentId === undefined) return null;
  return (
    <Notice title={t("referred.title")}>
      <p>{t("referred.about", { event: isolateBidi(incident.event.name) })}</p>
    </Notice>
  );
}

/** Links to the lists that the reader may open. */
export function IncidentBreadcrumbs({ actor, event }: Pick<Props, "actor"> & Pick<Incident, "event">) {
  const t = useTranslator("incidentPage");
  const tJump = useTranslator("jump");
  const items =
    actor.referredIncidentId === undefined
      ? [
          { label: t("incidents"), href: "/inbox" },
          { label: event.name, href: `/e/${event.slug}/incidents` },
        ]
      : [{ label: tJump("referrals"), href: "/referrals" }];
  return <Breadcrumbs items={items} />;
}
