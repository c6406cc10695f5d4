import clsx from "clsx";
import { Bell, CheckCheck, Settings } from "lucide-react";
import type { Metadata } from "next";
import { NotificationLink } from "#components/notification/notification-link.tsx";
import { KIND_WORDS } from "#components/notification/words.ts";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { show } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { listNotifications } from "#lib/notifications/operations.ts";
import type { Kind } from "#lib/notifications/schema.ts";
import { readAction, readAllAction, removeAction } from "./actions.ts";

export const metadata: Metadata = { title: "Notifications" };

const PATH = "/notifications";

/** What one was told of: which kind of thing and where, never what it says (beyond 15). */
export default page(async function Notifications({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const { notifications, unread, pagination } = await show(listNotifications, {}, query);
  const now = new Date();
  return (
    <div className="grid gap-5">
      <PageHeader
        title="Notifications"
        actions={
          <>
            {unread > 0 && (
              <Form action={readAllAction} label="All notifications">
                <SubmitButton variant="secondary" pendingLabel="Marking…">
                  <Icon as={CheckCheck} /> Mark all as read
                </SubmitButton>
              </Form>
            )}
            <LinkButton href={`${PATH}/settings`} icon={Settings}>
              Settings
            </LinkButton>
          </>
        }
      />
      <Views query={query} unread={unread} />
      {notifications.length > 0 ? (
        <ul className="divide-y divide-line rounded-surface border border-line bg-surface">
          {notifications.map((notification) => (
            <Item key={notification.id} notification={notification} now={now} />
          ))}
        </ul>
      ) : (
        <Nothing query={query} total={pagination.total} />
      )}
      <Pagination path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

function Views({ query, unread }: { query: Query; unread: number }) {
  return (
    <Tabs
      label="Which notifications"
      items={[
        { label: "All", href: PATH, current: query.unread !== "true" },
        { label: "Unread", href: `${PATH}?unread=true`, current: query.unread === "true", count: unread },
      ]}
    />
  );
}

type Notification = {
  id: string;
  kind: Kind;
  event: { name: string } | null;
  organization: { name: string } | null;
  url: string;
  readAt: string | null;
  createdAt: string;
};

function Item({ notification, now }: { notification: Notification; now: Date }) {
  const { id, kind, url, readAt, createdAt } = notification;
  const { told, icon } = KIND_WORDS[kind];
  const place = (notification.event ?? notification.organization)?.name;
  const unread = readAt === null;
  const which = <VisuallyHidden>{[told, place].filter(Boolean).join(", ")}</VisuallyHidden>;
  return (
    <li
      className={clsx(
        "flex flex-wrap items-start gap-x-4 gap-y-1 p-4 sm:px-6",
        unread && "bg-accent-soft/40",
      )}
    >
      <Icon as={icon} className="mt-3 text-muted" />
      <div className="grid min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className={clsx(unread && "font-[650]")}>
            <NotificationLink id={id} href={pathOf(url)} unread={unread}>
              {told}
            </NotificationLink>
          </span>
          {unread && <Badge tone="accent">Unread</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-4 text-sm text-muted">
          {place && <span className="min-w-0 break-words">{place}</span>}
          <Time value={createdAt} now={now} />
        </p>
      </div>
      <div className="flex flex-wrap gap-1">
        {unread && (
          <Form action={readAction} hidden={{ id }}>
            <SubmitButton variant="quiet" pendingLabel="Marking…">
              Mark as read {which}
            </SubmitButton>
          </Form>
        )}
        <Form action={removeAction} hidden={{ id }}>
          <SubmitButton variant="quiet" pendingLabel="Removing…">
            Remove {which}
          </SubmitButton>
        </Form>
      </div>
    </li>
  );
}

/** The page on this site, without its origin: a link inside the service. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function Nothing({ query, total }: { query: Query; total: number }) {
  if (total > 0) {
    return (
      <EmptyState
        title="The list ends before this page"
        actions={<LinkButton href={hrefWith(PATH, query, { page: null })}>Go to the first page</LinkButton>}
      />
    );
  }
  if (query.unread === "true") {
    return (
      <EmptyState
        icon={CheckCheck}
        title="Nothing is unread"
        actions={<LinkButton href={PATH}>Show all</LinkButton>}
      />
    );
  }
  return (
    <EmptyState icon={Bell} title="No notifications">
      <p>When something happens that concerns you, it is listed here for half a year.</p>
    </EmptyState>
  );
}
