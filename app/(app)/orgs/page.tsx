import { Building2, Plus } from "lucide-react";
import type { Metadata } from "next";
import { useWords } from "#words";
import { DoneNotice } from "#components/shell/done-notice.tsx";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearch } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import { onThisSite } from "#lib/design/on-this-site.ts";
import type { Query } from "#lib/design/query.ts";
import { listOrganizations, listOwnOrganizations } from "#lib/organizations/operations.ts";
import { can, type OrganizationRole } from "#lib/operation/policy.ts";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await pageWords("organization"))("organizations"),
});

export default page(async function Organizations({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const actor = await mustBeSignedIn();
  const list = can(actor, "organization.listAll") ? await every(query) : await own();
  return (
    <div className="grid gap-6">
      <Head mayCreate={can(actor, "organization.create")} />
      <Done after={String(query.after ?? "")} systemAdmin={actor.systemAdmin} />
      {list}
    </div>
  );
});

function Head({ mayCreate }: { mayCreate: boolean }) {
  const t = useWords("organization");
  return (
    <PageHeader
      title={t("organizations")}
      actions={
        mayCreate && (
          <LinkButton href="/orgs/new" variant="primary" icon={Plus}>
            {t("newOrganization")}
          </LinkButton>
        )
      }
    />
  );
}

/** What was done on the way here. */
function Done({ after, systemAdmin }: { after: string; systemAdmin: boolean }) {
  const t = useWords("organization");
  if (after === "first-account" && systemAdmin) {
    return (
      <Notice kind="success" title={t("firstAccount")} live>
        <p>{t("firstAccount.about")}</p>
      </Notice>
    );
  }
  return <DoneNotice after={after} words={{ deleted: t("done.deleted"), left: t("done.left") }} />;
}

type Listed = { id: string; name: string; slug: string; logoUrl: string | null; createdAt: string };

function useNameColumn(): Column<Listed> {
  const t = useWords("organization");
  return {
    key: "name",
    header: t("name"),
    rowHeader: true,
    cell: ({ name, slug, logoUrl }) => (
      <span className="flex min-w-0 items-center gap-3">
        {logoUrl && (
          <img src={onThisSite(logoUrl)} alt="" className="size-8 shrink-0 rounded-control object-contain" />
        )}
        <TextLink href={`/orgs/${slug}`} className="min-w-0 wrap-anywhere">
          {name}
        </TextLink>
      </span>
    ),
  };
}

/** All of them, for a SystemAdmin. */
async function every(query: Query) {
  const { organizations, pagination } = await show(listOrganizations, {}, query);
  const search = typeof query.search === "string" ? query.search : "";
  if (pagination.total === 0 && !search) return <NoneYet />;
  return (
    <>
      <Search search={search} />
      {organizations.length === 0 ? <Nothing search={search} /> : <Every organizations={organizations} />}
      <Pagination path="/orgs" query={{ search }} page={pagination.page} pages={pagination.totalPages} />
    </>
  );
}

function Search({ search }: { search: string }) {
  const t = useWords("organization");
  return (
    <FilterBar
      action="/orgs"
      label={t("searchOrganizations")}
      submitLabel={t("search")}
      applied={search ? [{ label: t("search.applied", { search }), href: "/orgs" }] : []}
    >
      <FilterSearch value={search} maxLength={200} label={t("nameOrDescription")} />
    </FilterBar>
  );
}

type Counted = Listed & { memberCount: number; eventCount: number };

function Every({ organizations }: { organizations: Counted[] }) {
  const t = useWords("organization");
  const columns: Column<Counted>[] = [
    useNameColumn(),
    { key: "members", header: t("members"), align: "end", cell: (row) => row.memberCount },
    { key: "events", header: t("events"), align: "end", cell: (row) => row.eventCount },
    {
      key: "createdAt",
      header: t("since"),
      align: "end",
      cell: (row) => <Time value={row.createdAt} show="date" />,
    },
  ];
  return (
    <Card padded={false}>
      <Table caption={t("allOrganizations")} rows={organizations} rowKey={({ id }) => id} columns={columns} />
    </Card>
  );
}

function NoneYet() {
  const t = useWords("organization");
  return (
    <EmptyState
      icon={Building2}
      title={t("none")}
      actions={
        <LinkButton href="/orgs/new" variant="primary">
          {t("none.create")}
        </LinkButton>
      }
    >
      <p>{t("none.about")}</p>
    </EmptyState>
  );
}

function Nothing({ search }: { search: string }) {
  const t = useWords("organization");
  return (
    <EmptyState
      icon={Building2}
      title={search ? t("noMatch") : t("pastEnd")}
      actions={<LinkButton href="/orgs">{t("showAll")}</LinkButton>}
    >
      {search && <p className="wrap-anywhere">{t("noMatch.about", { search })}</p>}
    </EmptyState>
  );
}

/** Those that one is a member of. */
async function own() {
  const { organizations } = await show(listOwnOrganizations);
  return organizations.length === 0 ? <NoMember /> : <Own organizations={organizations} />;
}

function NoMember() {
  const t = useWords("organization");
  return (
    <EmptyState icon={Building2} title={t("noMember")}>
      <p>{t("noMember.about")}</p>
    </EmptyState>
  );
}

type Mine = Listed & { role: OrganizationRole };

function Own({ organizations }: { organizations: Mine[] }) {
  const t = useWords("organization");
  const roles = useWords("incident");
  const columns: Column<Mine>[] = [
    useNameColumn(),
    { key: "role", header: t("yourRole"), cell: (row) => <Badge>{roles(`role.${row.role}`)}</Badge> },
  ];
  return (
    <Card padded={false}>
      <Table caption={t("ownOrganizations")} rows={organizations} rowKey={({ id }) => id} columns={columns} />
    </Card>
  );
}
