import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { NewTokenForm } from "#components/account/new-token-form.tsx";
import { TokenItem, type ApiOrServiceTokenRecord } from "#components/account/token-item.tsx";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { listOrganizationEvents } from "#lib/events/operations.ts";
import { loadPageData, throwForbidden } from "#lib/http/page.ts";
import { SERVICE_TOKEN_SCOPES } from "#lib/operation/token-scope.ts";
import { listServiceTokens } from "#lib/organizations/operations.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import { createServiceTokenAction, revokeServiceTokenAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "tokens");

/** The service tokens of an organization. */
export default definePage(async function ServiceTokens({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, may } = await loadOrganizationPage(slug);
  if (!may.manageTokens) throwForbidden();
  const [{ tokens, pagination }, { events }] = await Promise.all([
    loadPageData(listServiceTokens, { orgSlug: slug }, { page: query.page }),
    loadPageData(listOrganizationEvents, { orgSlug: slug }, { limit: "100" }),
  ]);
  const t = useTranslator("organization");
  const account = useTranslator("account");
  const path = `/orgs/${slug}/tokens`;
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader organization={organization} current="tokens" may={may} />
      <CompletedActionNotice after={query.after} messages={{ removed: account("done.removed") }} />
      <p className="max-w-[68ch] text-muted">{t("tokens.about")}</p>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="grid grid-cols-1 gap-6">
          <TokenList
            tokens={tokens.map((token) => ({ ...token, organization: token.event ? null : organization }))}
            organization={slug}
            now={new Date()}
          />
          <PaginationNav path={path} query={query} page={pagination.page} pages={pagination.totalPages} />
        </div>
        <NewTokenCard organization={slug} events={events} />
      </div>
    </div>
  );
});

type ListProps = { tokens: readonly ApiOrServiceTokenRecord[]; organization: string; now: Date };

function TokenList({ tokens, organization, now }: ListProps) {
  const t = useTranslator("organization");
  return (
    <section className="grid min-w-0 grid-cols-1 gap-4" aria-labelledby="tokens">
      <h2 id="tokens" className="text-xl">
        {t("tokens.list")}
      </h2>
      {tokens.length === 0 ? (
        <EmptyState icon="key-round" title={t("tokens.none")}>
          <p>{t("tokens.noneText")}</p>
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-1 gap-4">
          {tokens.map((token) => (
            <TokenItem
              key={token.id}
              token={token}
              now={now}
              deletion={{ action: revokeServiceTokenAction, hidden: { organization } }}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

type NewTokenProps = { organization: string; events: readonly { id: string; name: string }[] };

function NewTokenCard({ organization, events }: NewTokenProps) {
  const t = useTranslator("organization");
  const account = useTranslator("account");
  return (
    <Card title={t("tokens.new")}>
      <NewTokenForm
        action={createServiceTokenAction}
        hidden={{ organization }}
        label={t("tokens.new")}
        scopes={SERVICE_TOKEN_SCOPES.map((value) => ({
          value,
          label: account(`scope.${value}`),
          hint: t(`tokens.${value}Hint`),
        }))}
        defaultScope="export"
        places={events.map(({ id, name }) => ({ value: id, label: name }))}
        everywhere={t("tokens.whole")}
      />
    </Card>
  );
}
