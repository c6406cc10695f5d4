import { Building2, Plus } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ORGANIZATION_ROLES } from "#components/organization/role-words.ts";
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
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listOrganizations, listOwnOrganizations } from "#lib/organizations/operations.ts";
import type { OrganizationRole } from "#lib/policy.ts";

export const metadata: Metadata = { title: "Organizations" };

export default page(async function Organizations({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const actor = await mustBeSignedIn();
  return (
    <div className="grid gap-6">
      <PageHeader
        title="Organizations"
        actions={
          actor.systemAdmin && (
            <LinkButton href="/orgs/new" variant="primary" icon={Plus}>
              New organization
            </LinkButton>
          )
        }
      />
      <Done after={String(query.after ?? "")} systemAdmin={actor.systemAdmin} />
      {actor.systemAdmin ? await every(query) : await own()}
    </div>
  );
});

/** What was done on the way here. */
function Done({ after, systemAdmin }: { after: string; systemAdmin: boolean }) {
  if (after === "first-account" && systemAdmin) {
    return (
      <Notice kind="success" title="Your account is ready, and it is the SystemAdmin" live>
        <p>
          It was the first one here, so it runs this installation. Create an organization next: you get an
          invite link for whoever is to manage it.
        </p>
      </Notice>
    );
  }
  const words = {
    deleted: "The organization and all its data are deleted.",
    left: "You left the organization.",
  };
  if (!Object.hasOwn(words, after)) return null;
  return (
    <Notice kind="success" live>
      <p>{words[after as keyof typeof words]}</p>
    </Notice>
  );
}

type Listed = { id: string; name: string; slug: string; logoUrl: string | null; createdAt: string };

const nameColumn: Column<Listed> = {
  key: "name",
  header: "Name",
  rowHeader: true,
  cell: ({ name, slug, logoUrl }) => (
    <span className="flex min-w-0 items-center gap-3">
      {logoUrl && <img src={logoUrl} alt="" className="size-8 shrink-0 rounded-control object-contain" />}
      <TextLink href={`/orgs/${slug}`} className="min-w-0 break-words">
        {name}
      </TextLink>
    </span>
  ),
};

/** All of them, for a SystemAdmin. */
async function every(query: Query) {
  const { organizations, pagination } = await show(listOrganizations, {}, query);
  const search = typeof query.search === "string" ? query.search : "";
  if (pagination.total === 0 && !search) return <NoneYet />;
  return (
    <>
      <FilterBar
        action="/orgs"
        label="Search organizations"
        submitLabel="Search"
        applied={search ? [{ label: `Search: ${search}`, href: "/orgs" }] : []}
      >
        <FilterSearch value={search} maxLength={200} label="Name or description" />
      </FilterBar>
      {organizations.length === 0 ? (
        <Nothing search={search} />
      ) : (
        <Card padded={false}>
          <Table
            caption="All organizations, the newest first"
            rows={organizations}
            rowKey={({ id }) => id}
            columns={[
              nameColumn,
              { key: "members", header: "Members", align: "end", cell: (row) => row.memberCount },
              { key: "events", header: "Events", align: "end", cell: (row) => row.eventCount },
              {
                key: "createdAt",
                header: "Since",
                align: "end",
                cell: (row) => <Time value={row.createdAt} show="date" />,
              },
            ]}
          />
        </Card>
      )}
      <Pagination path="/orgs" query={{ search }} page={pagination.page} pages={pagination.totalPages} />
    </>
  );
}

function NoneYet() {
  return (
    <EmptyState
      icon={Building2}
      title="No organization yet"
      actions={
        <LinkButton href="/orgs/new" variant="primary">
          Create the first one
        </LinkButton>
      }
    >
      <p>An organization holds events and the people who run them. Reports belong to the events.</p>
    </EmptyState>
  );
}

function Nothing({ search }: { search: string }): ReactNode {
  return (
    <EmptyState
      title={search ? "No organization matches" : "This page is past the end of the list"}
      actions={<LinkButton href="/orgs">Show all</LinkButton>}
    >
      {search && <p>Nothing has “{search}” in its name or description.</p>}
    </EmptyState>
  );
}

type Mine = Listed & { role: OrganizationRole };

/** Those that one is a member of. */
async function own() {
  const { organizations } = await show(listOwnOrganizations);
  if (organizations.length === 0) {
    return (
      <EmptyState icon={Building2} title="You are not a member of an organization">
        <p>Members come in by invite. If you were sent an invite link, open it to join.</p>
      </EmptyState>
    );
  }
  const role: Column<Mine> = {
    key: "role",
    header: "Your role",
    cell: (row) => <Badge>{ORGANIZATION_ROLES[row.role].name}</Badge>,
  };
  return (
    <Card padded={false}>
      <Table
        caption="Organizations that you are a member of"
        rows={organizations}
        rowKey={({ id }) => id}
        columns={[nameColumn, role]}
      />
    </Card>
  );
}
