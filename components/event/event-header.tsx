import type { ReactNode } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { can, isTeam, type Actor } from "#lib/policy.ts";
import type { EventOfPage } from "./this-event.ts";

type Props = {
  event: Pick<EventOfPage, "id" | "name" | "slug">;
  actor: Actor;
  current: "incidents" | "team" | "settings";
  title: string;
  actions?: ReactNode;
  meta?: ReactNode;
};

/** The head of an event's pages for its members, with the way from one to the other. */
export function EventHeader({ event, actor, current, title, actions, meta }: Props) {
  const base = `/e/${event.slug}`;
  const subject = { eventId: event.id };
  const tabs = [
    {
      label: isTeam(actor, event.id) ? "Reports" : "Your reports",
      href: `${base}/incidents`,
      current: current === "incidents",
    },
    { label: "Team", href: `${base}/team`, current: current === "team" },
    ...(can(actor, "event.update", subject)
      ? [{ label: "Settings", href: `${base}/settings`, current: current === "settings" }]
      : []),
    { label: "Public page", href: base },
  ];
  return (
    <div className="grid gap-4">
      <PageHeader
        title={title}
        breadcrumbs={[
          { label: "Incidents", href: "/inbox" },
          { label: event.name, href: base },
        ]}
        meta={meta}
        actions={actions}
      />
      <Tabs label={event.name} items={tabs} />
    </div>
  );
}
