import { Download, History } from "lucide-react";
import { useWords } from "#words";
import { buttonClass, LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { hrefWith, type Query, valueIn } from "#lib/design/query.ts";
import { AuditFilters, type AuditPerson } from "./audit-filters.tsx";
import { isFiltered } from "./audit-query.ts";
import { AuditTable, type Entry } from "./audit-table.tsx";
import type { ActionGroup } from "./audit-words.ts";
import { ChainCheck, type Verdict } from "./chain-check.tsx";

type AuditPage = {
  entries: readonly Entry[];
  pagination: { page: number; totalPages: number; total: number; atLeast: boolean; next: number | null };
};

type Props = {
  /** Path of the page; the address holds filters and place. */
  path: string;
  query: Query;
  /** What the operation answered to `auditQuery(query)`. */
  list: AuditPage;
  now: Date;
  /** What this log tells of: OF_EVENT, OF_ORGANIZATION or OF_SYSTEM. */
  groups: readonly ActionGroup[];
  people?: readonly AuditPerson[];
  /** From `csvHref`. */
  csv: string;
  /** What a verification found, when the address asks for one (`verify=1`). */
  verdict: Verdict | null;
  linkTo?: (entry: Entry) => string | null;
  /** What the address holds besides filters and place, such as `chain`. */
  keep?: Record<string, string | undefined>;
};

/** A log to look through: filters, entries, the whole of it as a file, and whether it is intact. */
export function AuditLog(props: Props) {
  const { path, query, list, now, groups, people, csv, verdict, linkTo, keep } = props;
  const t = useWords("audit");
  const wanted = valueIn(query, "actor");
  const named = list.entries.find(({ actor }) => actor?.id === wanted)?.actor?.name ?? undefined;
  // What was asked for comes first; until then it waits beneath the entries.
  const check = <ChainCheck path={path} query={query} verdict={verdict} now={now} />;
  return (
    <div className="grid gap-5">
      <p className="max-w-[68ch] text-muted">{t("intro")}</p>
      {verdict && check}
      <AuditFilters
        path={path}
        query={query}
        groups={groups}
        people={people}
        personName={named}
        keep={keep}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <Count {...list.pagination} />
        <a href={csv} download className={buttonClass()} title={t("downloadAbout")}>
          <Icon as={Download} /> {t("download")}
        </a>
      </div>
      {list.entries.length > 0 ? (
        <Card padded={false}>
          <AuditTable path={path} query={query} entries={list.entries} linkTo={linkTo} />
        </Card>
      ) : (
        <Nothing clear={isFiltered(query) ? hrefWith(path, keep ?? {}, {}) : null} />
      )}
      <Paging path={path} query={query} list={list} />
      {!verdict && check}
    </div>
  );
}

function Count({ total, atLeast }: { total: number; atLeast: boolean }) {
  const t = useWords("audit");
  return <p className="text-muted tabular-nums">{t(atLeast ? "countAtLeast" : "count", { count: total })}</p>;
}

function Nothing({ clear }: { clear: string | null }) {
  const t = useWords("audit");
  return (
    <EmptyState
      icon={History}
      title={t("none")}
      actions={clear && <LinkButton href={clear}>{t("clear")}</LinkButton>}
    >
      <p>{t("noneAbout")}</p>
    </EmptyState>
  );
}

/** By number as far as entries are counted; beyond that, and once begun, from one entry to those before it. */
function Paging({ path, query, list }: Pick<Props, "path" | "query" | "list">) {
  const t = useWords("audit");
  const { page, totalPages, next } = list.pagination;
  const place = { ...query, verify: undefined };
  const below = valueIn(query, "before") !== undefined;
  const older = next !== null && (below || page >= totalPages);
  return (
    <>
      {!below && <Pagination path={path} query={place} page={page} pages={totalPages} />}
      {(below || older) && (
        <div className="flex flex-wrap gap-3">
          {below && (
            <LinkButton href={hrefWith(path, place, { before: null, page: null })}>{t("newest")}</LinkButton>
          )}
          {older && (
            <LinkButton href={hrefWith(path, place, { before: next, page: null })}>{t("older")}</LinkButton>
          )}
        </div>
      )}
    </>
  );
}
