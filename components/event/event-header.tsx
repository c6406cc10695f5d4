import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { isOnAnyTeamOrSystemAdmin, can, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import type { PublicEventRecord } from "./event-data.ts";

type EventTab = "incidents" | "team" | "settings" | "audit";

type Props = {
  event: Pick<PublicEventRecord, "id" | "name" | "slug">;
  actor: Actor;
  current: EventTab;
  title: string;
  /** Parent page, if this page is below the one that `current` names. */
  within?: { label: string; href: string };
  actions?: ReactNode;
  meta?: ReactNode;
};

/** The header of an event's pages for its members, with the tabs between them. */
export function EventHeader({ event, actor, current, title, within, actions, meta }: Props) {
  const t = useTranslator("eventFrame");
  const base = `/e/${event.slug}`;
  const tabs = listEventTabs(actor, event.id).map((place) => ({
    label: t(
      place === "incidents" ? (hasTeamAccessToEvent(actor, event.id) ? "incidents" : "ownReports") : place,
    ),
    href: `${base}/${place}`,
    current: current === place,
  }));
  return (
    <div className="grid gap-4">
      <PageHeader
        title={title}
        breadcrumbs={[
          { label: t(isOnAnyTeamOrSystemAdmin(actor) ? "incidents" : "ownReports"), href: "/inbox" },
          { label: event.name, href: base },
          ...(within ? [within] : []),
        ]}
        meta={meta}
        actions={actions}
      />
      <Tabs label={event.name} items={[...tabs, { label: t("publicPage"), href: base }]} />
    </div>
  );
}

/** Returns the tabs of an event that this person may open. */
function listEventTabs(actor: Actor, eventId: string): EventTab[] {
  const may = (permission: Parameters<typeof can>[1]) => can(actor, permission, { eventId });
  return [
    "incidents",
    "team",
    ...(may("event.update") ? (["settings"] as const) : []),
    ...(may("event.viewAudit") ? (["audit"] as const) : []),
  ];
}
