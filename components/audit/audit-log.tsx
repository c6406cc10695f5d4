import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass, LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { useActorNameFormatter } from "./actor-name.ts";
import { AuditLogFilterBar, type AuditFilterPerson } from "./audit-filters.tsx";
import { hasAuditFilters } from "./audit-query.ts";
import { AuditTable, type DisplayedAuditEntry } from "./audit-table.tsx";
import type { AuditActionGroup } from "./audit-text.ts";
import { AuditChainCheckCard, type AuditChainVerificationData } from "./chain-check.tsx";

type AuditLogPage = {
  entries: readonly DisplayedAuditEntry[];
  pagination: { page: number; totalPages: number; total: number; atLeast: boolean; next: number | null };
};

type Props = {
  /** Path of the page; the query holds filters and position. */
  path: string;
  query: SearchParams;
  /** Result of the operation called with `readAuditLogQueryFromPageUrl(query)`. */
  list: AuditLogPage;
  now: Date;
  /**
   * Action groups of this log: EVENT_AUDIT_ACTION_GROUPS, ORGANIZATION_AUDIT_ACTION_GROUPS or
   * SYSTEM_AUDIT_ACTION_GROUPS.
   */
  groups: readonly AuditActionGroup[];
  people?: readonly AuditFilterPerson[];
  /** From `buildAuditCsvHref`. */
  csv: string;
  /** Result of the chain verification, if the URL asks for one (`verify=1`). */
  verdict: AuditChainVerificationData | null;
  linkTo?: (entry: DisplayedAuditEntry) => string | null;
  /** Returns the name of the event of an entry, in a log of several events. */
  eventNameOf?: (entry: DisplayedAuditEntry) => string | null;
  /** Other query parameters to preserve, such as `chain`. */
  keep?: Record<string, string | undefined>;
};

/** An audit log: filters, entries, CSV export, and chain verification. */
export function AuditLog(props: Props) {
  const { path, query, list, now, groups, people, csv, verdict, keep } = props;
  const t = useTranslator("audit");
  const nameActor = useActorNameFormatter();
  const actorId = readSingleSearchParam(query, "actor");
  const actor = list.entries.find((entry) => entry.actor?.id === actorId)?.actor;
  const actorName = actor?.name ? nameActor(actor.name, actor.token) : undefined;
  // A requested verification comes first; otherwise the check is below the entries.
  const check = <AuditChainCheckCard path={path} query={query} verdict={verdict} now={now} />;
  return (
    <div className="grid gap-5">
      <p className="max-w-[68ch] text-muted">{t("intro")}</p>
      {verdict && check}
      <AuditLogFilterBar
        path={path}
        query={query}
        groups={groups}
        people={people}
        personName={actorName}
        keep={keep}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <EntryCount {...list.pagination} />
        <CsvDownloadLink href={csv} />
      </div>
      {list.entries.length > 0 ? (
        <Card padded={false}>
          <AuditTable {...props} entries={list.entries} />
        </Card>
      ) : (
        <AuditLogEmptyState
          clear={hasAuditFilters(query) ? buildHrefWithQueryChanges(path, keep ?? {}, {}) : null}
        />
      )}
      <AuditLogPagination path={path} query={query} list={list} />
      {!verdict && check}
    </div>
  );
}

function EntryCount({ total, atLeast }: { total: number; atLeast: boolean }) {
  const t = useTranslator("audit");
  return <p className="text-muted tabular-nums">{t(atLeast ? "countAtLeast" : "count", { count: total })}</p>;
}

function CsvDownloadLink({ href }: { href: string }) {
  const t = useTranslator("audit");
  return (
    <a
      href={`${href}&labels=${useLocale()}`}
      download
      className={buildButtonClass()}
      title={t("downloadAbout")}
    >
      <Icon as="download" /> {t("download")}
    </a>
  );
}

function AuditLogEmptyState({ clear }: { clear: string | null }) {
  const t = useTranslator("audit");
  return (
    <EmptyState
      icon="rotate-ccw-clock"
      title={t("none")}
      actions={clear && <LinkButton href={clear}>{t("clear")}</LinkButton>}
    >
      <p>{t("noneAbout")}</p>
    </EmptyState>
  );
}

/** Numbered pages while the total is known; beyond that, cursor pages, from one entry to the older ones. */
function AuditLogPagination({ path, query, list }: Pick<Props, "path" | "query" | "list">) {
  const t = useTranslator("audit");
  const { page, totalPages, next } = list.pagination;
  const placeQuery = { ...query, verify: undefined };
  const isPastFirstPage = readSingleSearchParam(query, "before") !== undefined;
  const hasOlder = next !== null && (isPastFirstPage || page >= totalPages);
  return (
    <>
      {!isPastFirstPage && <PaginationNav path={path} query={placeQuery} page={page} pages={totalPages} />}
      {(isPastFirstPage || hasOlder) && (
        <div className="flex flex-wrap gap-3">
          {isPastFirstPage && (
            <LinkButton href={buildHrefWithQueryChanges(path, placeQuery, { before: null, page: null })}>
              {t("newest")}
            </LinkButton>
          )}
          {hasOlder && (
            <LinkButton href={buildHrefWithQueryChanges(path, placeQuery, { before: next, page: null })}>
              {t("older")}
            </LinkButton>
          )}
        </div>
      )}
    </>
  );
}
