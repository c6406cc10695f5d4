import type { z } from "zod";
import { useTranslator } from "#i18n";
import { definePage } from "#components/shell/page.tsx";
import { SystemHeader } from "#components/system/system-header.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { listAllUsers } from "#lib/admin/operations.ts";
import type { AdminUser } from "#lib/admin/schema.ts";
import { loadPageData } from "#lib/http/page.ts";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";

export const generateMetadata = createSystemPageMetadataLoader("accounts");

const PATH = "/system/users";

/** Every account of the installation. */
export default definePage(async function Accounts({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await searchParams;
  const { users, pagination } = await loadPageData(listAllUsers, {}, query);
  const t = useTranslator("system");
  return (
    <div className="grid gap-6">
      <SystemHeader current="accounts" />
      <AccountFilters query={query} />
      <p role="status" className="text-muted">
        {t("count", { count: pagination.total })}
      </p>
      {users.length > 0 ? (
        <Card padded={false}>
          <AccountTable users={users} query={query} />
        </Card>
      ) : (
        <EmptyState title={t("nothingMatches")} actions={<LinkButton href={PATH}>{t("clear")}</LinkButton>}>
          <p>{t("nothingMatchesAbout")}</p>
        </EmptyState>
      )}
      <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

function AccountFilters({ query }: { query: SearchParams }) {
  const t = useTranslator("system");
  return (
    <FilterBar
      action={PATH}
      label={t("searchAccounts")}
      submitLabel={t("search")}
      keep={{ sort: readSingleSearchParam(query, "sort"), order: readSingleSearchParam(query, "order") }}
    >
      <FilterSearchField label={t("nameOrEmail")} value={readSingleSearchParam(query, "search")} />
      <FilterSelectField
        name="systemAdmin"
        label={t("role")}
        any={t("anyRole")}
        value={readSingleSearchParam(query, "systemAdmin")}
        options={[
          { value: "true", label: t("onlyAdmins") },
          { value: "false", label: t("notAdmins") },
        ]}
      />
      <FilterSelectField
        name="disabled"
        label={t("state")}
        any={t("anyState")}
        value={readSingleSearchParam(query, "disabled")}
        options={[
          { value: "false", label: t("enabled") },
          { value: "true", label: t("disabled") },
        ]}
      />
    </FilterBar>
  );
}

type AdminAccount = z.output<typeof AdminUser>;
type AccountSort = "name" | "email" | "createdAt";

function AccountTable({ users, query }: { users: readonly AdminAccount[]; query: SearchParams }) {
  const t = useTranslator("system");
  const columns = useAccountColumns(query);
  return (
    <Table
      caption={t("accountsCaption", { order: readSingleSearchParam(query, "sort") ?? "createdAt" })}
      rows={users}
      rowKey={({ id }) => id}
      columns={columns}
    />
  );
}

function useAccountColumns(query: SearchParams): TableColumn<AdminAccount>[] {
  const t = useTranslator("system");
  const sort = (key: AccountSort) => buildColumnSort(key, query);
  return [
    {
      key: "name",
      header: t("name"),
      rowHeader: true,
      sort: sort("name"),
      cell: (user) => <AccountName user={user} />,
    },
    {
      key: "email",
      header: t("email"),
      sort: sort("email"),
      cell: ({ email }) => <span className="wrap-anywhere">{email}</span>,
    },
    {
      key: "places",
      header: t("places"),
      cell: ({ organizations, events }) => t("placesAbout", { organizations, events }),
    },
    {
      key: "lastActive",
      header: t("lastActive"),
      align: "end",
      cell: ({ lastActiveAt }) => (lastActiveAt ? <Time value={lastActiveAt} show="date" /> : t("never")),
    },
    {
      key: "createdAt",
      header: t("since"),
      align: "end",
      sort: sort("createdAt"),
      cell: ({ createdAt }) => <Time value={createdAt} show="date" />,
    },
  ];
}

function AccountName({ user }: { user: AdminAccount }) {
  const t = useTranslator("system");
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <TextLink href={`${PATH}/${user.id}`} className="wrap-anywhere">
        <bdi>{user.name}</bdi>
      </TextLink>
      {user.systemAdmin && <Badge tone="accent">{t("systemAdmin")}</Badge>}
      {user.disabledAt && <Badge tone="danger">{t("disabled")}</Badge>}
    </span>
  );
}

/** Returns the link that sorts by a column; pressing it again reverses the order. Times sort newest first. */
function buildColumnSort(key: AccountSort, query: SearchParams): TableColumn<AdminAccount>["sort"] {
  const isCurrent = (readSingleSearchParam(query, "sort") ?? "createdAt") === key;
  const order = readSingleSearchParam(query, "order") ?? "desc";
  const first = key === "createdAt" ? "desc" : "asc";
  const next = isCurrent ? (order === "asc" ? "desc" : "asc") : first;
  return {
    href: buildHrefWithQueryChanges(PATH, query, { sort: key, order: next, page: null }),
    ...(isCurrent ? { direction: order === "asc" ? "ascending" : "descending" } : {}),
  };
}
