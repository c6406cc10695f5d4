import { useLocale, useTranslator } from "#i18n";
import { useActorNameFormatter } from "#components/audit/actor-name.ts";
import { TextLink } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import { buildRelativeDayMessageValues } from "#lib/design/relative-day.ts";

/** The viewers of an incident: by name for the team, as a count for the reporter. */

type DisplayedAccessLogEntry = {
  id: string;
  kind: string;
  actor: { name: string; token?: true | null | undefined } | null;
  reason: string | null;
  at: string;
};

export type IncidentAccessLogData = {
  access: readonly DisplayedAccessLogEntry[];
  readers: readonly { id: string; name: string; token?: true | null | undefined; lastAt: string }[];
  pagination: { page: number; total: number; totalPages: number };
};

/** Names the people who viewed the incident; single views on request. */
export function IncidentViewerList({
  readers,
  href,
  now,
}: Pick<IncidentAccessLogData, "readers"> & { href: string; now: Date }) {
  const t = useTranslator("incidentPage");
  const actorName = useActorNameFormatter();
  return (
    <div className="grid gap-3">
      {readers.length === 0 && <p className="text-muted">{t("readByNobody")}</p>}
      <ul className="grid gap-1.5">
        {readers.map(({ id, name, token, lastAt }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-3">
            <span className="min-w-0 wrap-anywhere">{actorName(name, token)}</span>
            <span className="text-sm text-muted">
              <Time value={lastAt} now={now} />
            </span>
          </li>
        ))}
      </ul>
      <TextLink href={href} className="no-print inline-flex min-h-11 items-center justify-self-start">
        {t("showAccessLog")}
      </TextLink>
    </div>
  );
}

/** Every view of an incident and its files, newest first. */
export function AccessLogList({ views, now }: { views: readonly DisplayedAccessLogEntry[]; now: Date }) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const actorName = useActorNameFormatter();
  return (
    <ol aria-label={t("accessLog")} className="grid gap-2">
      {views.map(({ id, kind, actor, reason, at }) => (
        <li key={id} className="flex flex-wrap gap-x-3">
          <span className="min-w-0 wrap-anywhere">
            {t(ACCESS_MESSAGE_KEYS[kind] ?? "access.view", {
              name: actor ? actorName(actor.name, actor.token) : tIncident("gone"),
            })}
          </span>
          <span className="text-sm text-muted">
            <Time value={at} now={now} show="both" />
          </span>
          {reason && <p className="basis-full wrap-anywhere text-muted">{t("access.reason", { reason })}</p>}
        </li>
      ))}
    </ol>
  );
}

const ACCESS_MESSAGE_KEYS: Record<
  string,
  | "access.view"
  | "access.list"
  | "access.file"
  | "access.original"
  | "access.export"
  | "access.log"
  | "access.emergency"
> = {
  view: "access.view",
  list: "access.list",
  file: "access.file",
  original: "access.original",
  export: "access.export",
  log: "access.log",
  emergency: "access.emergency",
};

type ReaderCountProps = { readBy: number; lastReadOn: string | null; now: Date };

/** "Read by 2 people of the response team, last today." */
export function ReaderCountText({ readBy, lastReadOn, now }: ReaderCountProps) {
  const t = useTranslator("ownReport");
  const locale = useLocale();
  if (readBy === 0 || !lastReadOn) return <p>{t("readByNobody")}</p>;
  return (
    <p>{t("readByCount", { count: readBy, ...buildRelativeDayMessageValues(lastReadOn, now, locale) })}</p>
  );
}
