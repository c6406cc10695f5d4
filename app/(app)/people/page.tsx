import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { ReportsOfPerson } from "#components/people/reports-of-person.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { Link } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { isSystemAdmin, type Actor } from "#lib/operation/policy.ts";
import { listPeopleInReports } from "#lib/people/operations.ts";
import type { PersonInReports } from "#lib/people/schema.ts";
import { showNameAction } from "./actions.ts";

type Props = { searchParams: Promise<SearchParams> };

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("people"))("title") };
}

/** The people named in the reports that the viewer reads as a team, by code names (contract 7.22). */
export default definePage(async function PeopleInReportsPage({ searchParams }: Props) {
  const query = await searchParams;
  const actor = await getActorOrRedirectToSignIn();
  const organization = readSingleSearchParam(query, "organization");
  const { people, pagination } = await loadPageData(
    listPeopleInReports,
    {},
    { page: query.page, ...(organization && { organization }) },
  );
  return (
    <PeopleList
      people={people}
      namesOrganizations={hasSeveralOrganizations(actor)}
      only={organization !== undefined}
    >
      <PaginationNav path="/people" query={query} page={pagination.page} pages={pagination.totalPages} />
    </PeopleList>
  );
});

const hasSeveralOrganizations = (actor: Actor): boolean =>
  isSystemAdmin(actor) || new Set(actor.events.map(({ organizationId }) => organizationId)).size > 1;

type ListProps = {
  people: readonly PersonInReports[];
  namesOrganizations: boolean;
  /** Whether only those of one organization are listed. */
  only: boolean;
  children: React.ReactNode;
};

function PeopleList({ people, namesOrganizations, only, children }: ListProps) {
  const t = useTranslator("people");
  const [first] = people;
  return (
    <div className="grid gap-5">
      <PageHeader
        title={t("title")}
        meta={
          <p className="max-w-[68ch]">
            {t("about")} {t("showNameAbout")}
          </p>
        }
      />
      {only && (
        <p className="flex flex-wrap items-center gap-x-4">
          {first && <bdi className="wrap-anywhere">{t("only", { name: first.organization.name })}</bdi>}
          <Link href="/people" className="text-link inline-flex min-h-11 items-center">
            {t("showAll")}
          </Link>
        </p>
      )}
      {people.length === 0 ? (
        <EmptyState icon="user-round" title={t("none")}>
          <p>{t("noneAbout")}</p>
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-surface border border-line bg-surface">
          {people.map((person) => (
            <PersonRow key={person.personId} person={person} namesOrganization={namesOrganizations} />
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}

function PersonRow({ person, namesOrganization }: { person: PersonInReports; namesOrganization: boolean }) {
  const t = useTranslator("people");
  const { personId, codeName, organization, roles, reports } = person;
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid min-w-0 content-start gap-1">
        <h2 dir="ltr" className="text-lg font-[650] wrap-anywhere rtl:text-end">
          {codeName}
        </h2>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          {roles.map((role) => (
            <Badge key={role}>{t(`role.${role}`)}</Badge>
          ))}
          {namesOrganization && (
            <Link
              href={`/people?organization=${organization.id}`}
              className="text-link inline-flex min-h-11 items-center wrap-anywhere"
            >
              <bdi>{organization.name}</bdi>
            </Link>
          )}
        </p>
        <ReportsOfPerson {...reports} counted="reports" />
      </div>
      <Form
        action={showNameAction}
        hidden={{ personId }}
        label={t("showNameOf", { codeName })}
        className="content-start gap-2"
      >
        <SubmitButton variant="secondary">{t("showName")}</SubmitButton>
      </Form>
    </li>
  );
}
