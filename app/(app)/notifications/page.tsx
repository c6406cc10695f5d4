import clsx from "clsx";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { NotificationTargetLink } from "#components/notification/notification-link.tsx";
import { NOTIFICATION_ICONS } from "#components/notification/icons.ts";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { PageHeader } from "#components/ui/page-header.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { Time } from "#components/ui/time.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { loadPageData } from "#lib/http/page.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { INVITATIONS_PATH } from "#lib/notifications/links.ts";
import { listNotifications } from "#lib/notifications/operations.ts";
import { SeverityBadge } from "#components/incident/badges.tsx";
import type { Severity } from "#lib/incidents/schema.ts";
import type { NotificationKind } from "#lib/notifications/schema.ts";
import {
  markNotificationReadAction,
  markAllNotificationsReadAction,
  deleteNotificationAction,
} from "./actions.ts";
import { isQuarterHour } from "#lib/design/time.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("notifications"))("title") };
}

const PATH = "/notifications";

/**
 * The current user's notifications. Each shows its kind, its event or organization and, to the event's team, the
 * incident's title and severity (contract 11.1).
 */
export default definePage(async function Notifications({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const query = await searchParams;
  const { notifications, unread, pagination } = await loadPageData(listNotifications, {}, query);
  const now = new Date();
  const t = await getTranslator("notifications");
  return (
    <div className="grid gap-5">
      <PageHeader title={t("title")} actions={<NotificationsActions unread={unread} />} />
      <NotificationTabs query={query} unread={unread} />
      {notifications.length > 0 ? (
        <ul className="divide-y divide-line rounded-surface border border-line bg-surface">
          {notifications.map((notification) => (
            <NotificationItem key={notification.id} notification={notification} now={now} />
          ))}
        </ul>
      ) : (
        <NotificationsEmptyState query={query} total={pagination.total} />
      )}
      <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

function NotificationsActions({ unread }: { unread: number }) {
  const t = useTranslator("notifications");
  return (
    <>
      {unread > 0 && (
        <Form action={markAllNotificationsReadAction} label={t("all")}>
          <SubmitButton variant="secondary" pendingLabel={t("marking")}>
            <Icon as="check-check" /> {t("markAll")}
          </SubmitButton>
        </Form>
      )}
      <LinkButton href={`${PATH}/settings`} icon="settings">
        {t("settings")}
      </LinkButton>
    </>
  );
}

function NotificationTabs({ query, unread }: { query: SearchParams; unread: number }) {
  const t = useTranslator("notifications");
  return (
    <Tabs
      label={t("which")}
      items={[
        { label: t("view.all"), href: PATH, current: query.unread !== "true" },
        {
          label: t("view.unread"),
          href: `${PATH}?unread=true`,
          current: query.unread === "true",
          count: unread,
        },
      ]}
    />
  );
}

type Notification = {
  id: string;
  kind: NotificationKind;
  event: { name: string } | null;
  organization: { name: string } | null;
  incident: { title: string; severity: Severity | null } | null;
  count: number | null;
  url: string;
  readAt: string | null;
  createdAt: string;
};

type NotificationProps = { notification: Notification; now: Date };

function NotificationItem({ notification, now }: NotificationProps) {
  const { id, kind, url, readAt, incident } = notification;
  const t = useTranslator("notifications");
  const joinTexts = useCommaJoiner();
  const text = t(toRelativePath(url) === INVITATIONS_PATH ? "kind.invited" : `kind.${kind}`, {
    count: notification.count ?? 0,
  });
  const place = (notification.event ?? notification.organization)?.name;
  const title = incident?.title ?? "";
  const unread = readAt === null;
  return (
    <li
      className={clsx(
        "flex flex-wrap items-start gap-x-4 gap-y-1 p-4 sm:px-6",
        unread && "bg-accent-soft/40",
      )}
    >
      <Icon as={NOTIFICATION_ICONS[kind]} className="mt-3 text-muted" />
      <div className="grid min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className={clsx(unread && "font-[650]")}>
            <NotificationTargetLink id={id} href={toRelativePath(url)} unread={unread}>
              {text}
            </NotificationTargetLink>
          </span>
          {unread && <Badge tone="accent">{t("unread")}</Badge>}
        </p>
        {incident && <IncidentLine title={title} severity={incident.severity} />}
        <p className="flex flex-wrap gap-x-4 text-sm text-muted">
          {place && <span className="min-w-0 wrap-anywhere">{place}</span>}
          <NotificationTime notification={notification} now={now} />
        </p>
      </div>
      <NotificationForms id={id} name={joinTexts([text, title || place])} unread={unread} />
    </li>
  );
}

/**
 * The time of a notification: only the day of a letter, the quarter of an hour of anything else that nobody did by name
 * (contract 11.1).
 */
function NotificationTime({ notification: { kind, createdAt }, now }: NotificationProps) {
  const formatDay = useDayFormatter();
  if (kind === "message.fromParty") return formatDay(createdAt);
  return <Time value={createdAt} now={now} isRounded={isQuarterHour(createdAt)} />;
}

type IncidentLineProps = NonNullable<Notification["incident"]>;

function IncidentLine({ title, severity }: IncidentLineProps) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <bdi className="min-w-0 wrap-anywhere">{title}</bdi>
      <SeverityBadge severity={severity} />
    </p>
  );
}

type NotificationFormsProps = { id: string; name: string; unread: boolean };

function NotificationForms({ id, name, unread }: NotificationFormsProps) {
  const t = useTranslator("notifications");
  const which = {
    which: name,
    hidden: (chunks: ReactNode[]) => <VisuallyHidden key="which">{chunks}</VisuallyHidden>,
  };
  return (
    <div className="flex flex-wrap gap-1">
      {unread && (
        <Form action={markNotificationReadAction} hidden={{ id }}>
          <SubmitButton variant="quiet" pendingLabel={t("marking")}>
            {t.rich("markRead", which)}
          </SubmitButton>
        </Form>
      )}
      <Form action={deleteNotificationAction} hidden={{ id }}>
        <SubmitButton variant="quiet" pendingLabel={t("removing")}>
          {t.rich("remove", which)}
        </SubmitButton>
      </Form>
    </div>
  );
}

/** Strips the origin, for a link inside the service. */
function toRelativePath(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function NotificationsEmptyState({ query, total }: { query: SearchParams; total: number }) {
  const t = useTranslator("notifications");
  if (total > 0) {
    return (
      <EmptyState
        title={t("ends")}
        actions={
          <LinkButton href={buildHrefWithQueryChanges(PATH, query, { page: null })}>
            {t("toFirst")}
          </LinkButton>
        }
      />
    );
  }
  if (query.unread === "true") {
    return (
      <EmptyState
        icon="check-check"
        title={t("noneUnread")}
        actions={<LinkButton href={PATH}>{t("showAll")}</LinkButton>}
      />
    );
  }
  return (
    <EmptyState icon="bell" title={t("none")}>
      <p>{t("noneText")}</p>
    </EmptyState>
  );
}
