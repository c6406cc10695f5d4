import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { toRelativeUrl } from "#lib/design/relative-url.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listOrganizations, listOwnOrganizations } from "#lib/organizations/operations.ts";
import { can, type OrganizationRole } from "#lib/operation/policy.ts";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await getTranslator("organization"))("organizations"),
});

export default definePage(async function Organizations({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const query = await searchParams;
  const actor = await getActorOrRedirectToSignIn();
  const list = can(actor, "organization.listAll")
    ? await renderAllOrganizations(query)
    : await renderOwnOrganizations();
  return (
    <div className="grid gap-6">
      <OrganizationsHeader mayCreate={can(actor, "organization.create")} />
      <DoneMessage after={String(query.after ?? "")} />
      {list}
    </div>
  );
});

function OrganizationsHeader({ mayCreate }: { mayCreate: boolean }) {
  const t = useTranslator("organization");
  return (
    <PageHeader
      title={t("organizations")}
      actions={
        mayCreate && (
          <LinkButton href="/orgs/new" variant="primary" icon="plus">
            {t("newOrganization")}
          </LinkButton>
        )
      }
    />
  );
}

/** Confirms the action that led to this page. */
function DoneMessage({ after }: { after: string }) {
  const t = useTranslator("organization");
  return (
    <CompletedActionNotice after={after} messages={{ deleted: t("done.deleted"), left: t("done.left") }} />
  );
}

type OrganizationListItem = {
  id: string;
  name: string;
  slug: string;
  logoUrl: string | null;
  createdAt: string;
};

function useNameColumn(): TableColumn<OrganizationListItem> {
  const t = useTranslator("organization");
  return {
    key: "name",
    header: t("name"),
    rowHeader: true,
    cell: ({ name, slug, logoUrl }) => (
      <span className="flex min-w-0 items-center gap-3">
        {logoUrl && (
          <img
            src={toRelativeUrl(logoUrl)}
            alt=""
            className="size-8 shrink-0 rounded-control object-contain"
          />
        )}
        <TextLink href={`/orgs/${slug}`} className="min-w-0 wrap-anywhere">
          {name}
        </TextLink>
      </span>
    ),
  };
}

/** Every organization, for a SystemAdmin. */
async function renderAllOrganizations(query: SearchParams) {
  const { organizations, pagination } = await loadPageData(listOrganizations, {}, query);
  const search = typeof query.search === "string" ? query.search : "";
  if (pagination.total === 0 && !search) return <NoOrganizationsState />;
  return (
    <>
      <OrganizationSearch search={search} />
      {organizations.length === 0 ? (
        <NoMatchesState search={search} />
      ) : (
        <AllOrganizationsTable organizations={organizations} />
      )}
      <PaginationNav path="/orgs" query={{ search }} page={pagination.page} pages={pagination.totalPages} />
    </>
  );
}

function OrganizationSearch({ search }: { search: string }) {
  const t = useTranslator("organization");
  return (
    <FilterBar
      action="/orgs"
      label={t("searchOrganizations")}
      submitLabel={t("search")}
      applied={search ? [{ label: t("search.applied", { search }), href: "/orgs" }] : []}
    >
      <FilterSearchField value={search} label={t("nameOrDescription")} />
    </FilterBar>
  );
}

type CountedOrganization = OrganizationListItem & { memberCount: number; eventCount: number };

function AllOrganizationsTable({ organizations }: { organizations: CountedOrganization[] }) {
  const t = useTranslator("organization");
  const columns: TableColumn<CountedOrganization>[] = [
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

function NoOrganizationsState() {
  const t = useTranslator("organization");
  return (
    <EmptyState
      icon="building-complex"
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

function NoMatchesState({ search }: { search: string }) {
  const t = useTranslator("organization");
  return (
    <EmptyState
      icon="building-complex"
      title={search ? t("noMatch") : t("pastEnd")}
      actions={<LinkButton href="/orgs">{t("showAll")}</LinkButton>}
    >
      {search && <p className="wrap-anywhere">{t("noMatch.about", { search })}</p>}
    </EmptyState>
  );
}

/** The organizations that the viewer is a member of. */
async function renderOwnOrganizations() {
  const { organizations } = await loadPageData(listOwnOrganizations);
  return organizations.length === 0 ? (
    <NoMembershipState />
  ) : (
    <OwnOrganizationsTable organizations={organizations} />
  );
}

function NoMembershipState() {
  const t = useTranslator("organization");
  return (
    <EmptyState icon="building-complex" title={t("noMember")}>
      <p>{t("noMember.about")}</p>
    </EmptyState>
  );
}

type MemberOrganization = OrganizationListItem & { role: OrganizationRole };

function OwnOrganizationsTable({ organizations }: { organizations: MemberOrganization[] }) {
  const t = useTranslator("organization");
  const roles = useTranslator("incident");
  const columns: TableColumn<MemberOrganization>[] = [
    useNameColumn(),
    { key: "role", header: t("yourRole"), cell: (row) => <Badge>{roles(`role.${row.role}`)}</Badge> },
  ];
  return (
    <Card padded={false}>
      <Table caption={t("ownOrganizations")} rows={organizations} rowKey={({ id }) => id} columns={columns} />
    </Card>
  );
}
