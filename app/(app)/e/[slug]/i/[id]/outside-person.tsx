import { useTranslator } from "#i18n";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

type Props = { actor: Actor; incident: Incident };

/** Tells the outside person why they read the incident. */
export function OutsidePersonNotice({ actor, incident }: Props) {
  const t = useTranslator("incidentPage");
  if (actor.outsideIncidentId === undefined) return null;
  return (
    <Notice title={t("outsidePerson.title")}>
      <p>{t("outsidePerson.about", { event: isolateBidi(incident.event.name) })}</p>
    </Notice>
  );
}

/** Links to the lists that the reader may open. */
export function IncidentBreadcrumbs({ actor, event }: Pick<Props, "actor"> & Pick<Incident, "event">) {
  const t = useTranslator("incidentPage");
  const tJump = useTranslator("jump");
  const items =
    actor.outsideIncidentId === undefined
      ? [
          { label: t("incidents"), href: "/inbox" },
          { label: event.name, href: `/e/${event.slug}/incidents` },
        ]
      : [{ label: tJump("outsideIncidents"), href: "/outside-incidents" }];
  return <Breadcrumbs items={items} />;
}
