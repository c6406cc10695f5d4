import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { NewTokenForm } from "#components/account/new-token-form.tsx";
import { TokenItem, type ApiOrServiceTokenRecord } from "#components/account/token-item.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { listOwnEvents, listTokens } from "#lib/own-account/operations.ts";
import { listOwnOrganizations } from "#lib/organizations/operations.ts";
import { TOKEN_SCOPES } from "#lib/operation/token-scope.ts";
import { loadPageData, getActorOrRedirectToSignIn } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { createApiTokenAction, revokeApiTokenAction } from "./actions.ts";
import { ORGANIZATION_OPTION_VALUE_PREFIX } from "./organization-option.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("tab.tokens") };
}

const PATH = "/account/tokens";

/** API tokens for programs that act as the current user. */
export default definePage(async function Tokens({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await searchParams;
  const [{ tokens, pagination }, places] = await Promise.all([
    loadPageData(listTokens, {}, { page: query.page }),
    listPlaces(),
  ]);
  const t = await getTranslator("account");
  return (
    <div className="grid gap-6">
      <AccountHeader current="tokens" />
      <CompletedActionNotice after={query.after} messages={{ removed: t("done.removed") }} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <TokenSection tokens={tokens} now={new Date()}>
          <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
        </TokenSection>
        <Card title={t("newToken")}>
          <NewTokenForm
            action={createApiTokenAction}
            label={t("newToken")}
            scopes={TOKEN_SCOPES.map((value) => ({
              value,
              label: t(`scope.${value}`),
              hint: t(`scope.${value}Hint`),
            }))}
            defaultScope="read"
            places={places}
            everywhere={t("everywhere")}
          />
        </Card>
      </div>
    </div>
  );
});

type Place = { value: string; label: string };

/** The organizations and events that a token can be limited to: those whose roles count. */
async function listPlaces(): Promise<Place[]> {
  const actor = await getActorOrRedirectToSignIn();
  const [{ organizations }, { events }] = await Promise.all([
    loadPageData(listOwnOrganizations),
    loadPageData(listOwnEvents, {}, { limit: "100" }),
  ]);
  const t = await getTranslator("account");
  const counts = ({ id }: { id: string }) =>
    actor.organizations.some(({ organizationId }) => organizationId === id);
  return [
    ...organizations.filter(counts).map(({ id, name }) => ({
      value: `${ORGANIZATION_OPTION_VALUE_PREFIX}${id}`,
      label: t("organizationAndEvents", { name }),
    })),
    ...events
      .filter(({ needsSecondFactor }) => !needsSecondFactor)
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
}

type SectionProps = {
  tokens: readonly ApiOrServiceTokenRecord[];
  now: Date;
  /** Pagination below the list. */
  children: ReactNode;
};

function TokenSection({ tokens, now, children }: SectionProps) {
  const t = useTranslator("account");
  return (
    <section className="grid min-w-0 grid-cols-1 gap-4" aria-labelledby="tokens">
      <h2 id="tokens" className="text-xl">
        {t("tokens")}
      </h2>
      <p className="max-w-[60ch] text-muted">
        {t.rich("tokensReference", {
          link: (chunks: ReactNode) => <TextLink href="/reference">{chunks}</TextLink>,
        })}
      </p>
      {tokens.length === 0 ? (
        <EmptyState icon="key-round" title={t("noTokens")}>
          <p>{t("noTokensText")}</p>
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-1 gap-4">
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} now={now} deletion={{ action: revokeApiTokenAction }} />
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}
