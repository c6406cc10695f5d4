import type { ReactNode } from "react";
import { useWords } from "#words";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { answersReports, can, isTeam, type Actor } from "#lib/operation/policy.ts";
import type { EventOfPage } from "./this-event.ts";

type Place = "incidents" | "team" | "invites" | "settings" | "audit";

type Props = {
  event: Pick<EventOfPage, "id" | "name" | "slug">;
  actor: Actor;
  current: Place;
  title: string;
  /** Where the page lies below the one that `current` names. */
  within?: { label: string; href: string };
  actions?: ReactNode;
  meta?: ReactNode;
};

/** The head of an event's pages for its members, with the way from one to the other. */
export function EventHeader({ event, actor, current, title, within, actions, meta }: Props) {
  const t = useWords("eventFrame");
  const base = `/e/${event.slug}`;
  const tabs = placesOf(actor, event.id).map((place) => ({
    label: t(place === "incidents" ? (isTeam(actor, event.id) ? "reports" : "ownReports") : place),
    href: `${base}/${place}`,
    current: current === place,
  }));
  return (
    <div className="grid gap-4">
      <PageHeader
        title={title}
        breadcrumbs={[
          { label: t(answersReports(actor) ? "incidents" : "ownReports"), href: "/inbox" },
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

/** The pages of an event that this person may open. */
function placesOf(actor: Actor, eventId: string): Place[] {
  const may = (permission: Parameters<typeof can>[1]) => can(actor, permission, { eventId });
  return [
    "incidents",
    "team",
    ...(may("event.manageInvites") ? (["invites"] as const) : []),
    ...(may("event.update") ? (["settings"] as const) : []),
    ...(may("event.viewAudit") ? (["audit"] as const) : []),
  ];
}
