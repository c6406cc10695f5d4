import { KeyRound } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { AccountHead } from "#components/account/account-head.tsx";
import { ReauthenticationFields } from "#components/account/reauthentication.tsx";
import { DoneNotice } from "#components/shell/done-notice.tsx";
import { NewTokenField } from "#components/account/new-token-field.tsx";
import { TokenItem, type TokenRecord } from "#components/account/token-item.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { ClientMessages } from "#components/i18n/client-messages.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { listOwnEvents, listTokens } from "#lib/own-account/operations.ts";
import { MAX_TOKEN_DAYS } from "#lib/accounts/schema.ts";
import { listOwnOrganizations } from "#lib/organizations/operations.ts";
import { TOKEN_SCOPES } from "#lib/operation/token-scope.ts";
import { loadPageData, requireSignIn } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { createTokenAction, revokeTokenAction } from "./actions.ts";
import { ORGANIZATION_PREFIX } from "./place.ts";

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
      <AccountHead current="tokens" />
      <DoneNotice after={query.after} messages={{ removed: t("done.removed") }} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <TokenSection tokens={tokens} now={new Date()}>
          <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
        </TokenSection>
        <Card title={t("newToken")} className="order-first lg:order-none">
          <NewTokenForm places={places} />
        </Card>
      </div>
    </div>
  );
});

type Place = { value: string; label: string };

/** The organizations and events that a token can be limited to: those whose roles count. */
async function listPlaces(): Promise<Place[]> {
  const actor = await requireSignIn();
  const [{ organizations }, { events }] = await Promise.all([
    loadPageData(listOwnOrganizations),
    loadPageData(listOwnEvents, {}, { limit: "100" }),
  ]);
  const t = await getTranslator("account");
  const counts = ({ id }: { id: string }) =>
    actor.organizations.some(({ organizationId }) => organizationId === id);
  return [
    ...organizations.filter(counts).map(({ id, name }) => ({
      value: `${ORGANIZATION_PREFIX}${id}`,
      label: t("organizationAndEvents", { name }),
    })),
    ...events
      .filter(({ needsSecondFactor }) => !needsSecondFactor)
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
}

type SectionProps = {
  tokens: readonly TokenRecord[];
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
        <EmptyState icon={KeyRound} title={t("noTokens")}>
          <p>{t("noTokensText")}</p>
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-1 gap-4">
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} now={now} deletion={{ action: revokeTokenAction }} />
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

function NewTokenForm({ places }: { places: Place[] }) {
  const t = useTranslator("account");
  return (
    <Form action={createTokenAction} label={t("newToken")} resetOnSuccess>
      <ClientMessages of={["factor"]}>
        <NewTokenField />
      </ClientMessages>
      <TextField
        name="name"
        label={t("name")}
        hint={t("tokenNameHint")}
        maxLength={100}
        autoComplete="off"
        required
      />
      <TokenAccessFields places={places} />
      <TextField
        name="expiresInDays"
        type="number"
        label={t("days")}
        hint={t("daysHint", { max: MAX_TOKEN_DAYS })}
        min={1}
        max={MAX_TOKEN_DAYS}
        defaultValue="90"
        required
      />
      <ReauthenticationFields withCode={false} />
      <FormActions>
        <SubmitButton pendingLabel={t("makingToken")}>{t("makeToken")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** What the token may do, and in which organization or event. */
function TokenAccessFields({ places }: { places: Place[] }) {
  const t = useTranslator("account");
  return (
    <>
      <RadioGroup
        name="scope"
        label={t("scope")}
        options={TOKEN_SCOPES.map((value) => ({
          value,
          label: t(`scope.${value}`),
          hint: t(`scope.${value}Hint`),
        }))}
        defaultValue="read"
        required
      />
      <SelectField
        name="eventId"
        label={t("where")}
        prompt={t("everywhere")}
        options={places}
        markOptional={false}
      />
    </>
  );
}
