import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { NewWebhookSecretDisplay } from "#components/organization/new-secret-field.tsx";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { useWebhookKindListFormatter } from "#components/organization/webhook-text.ts";
import { WebhookFields } from "#components/organization/webhook-fields.tsx";
import { WebhookHelp } from "#components/organization/webhook-help.tsx";
import { WebhookStatusBadge } from "#components/organization/webhook-status.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { throwForbidden, loadPageData } from "#lib/http/page.ts";
import { listWebhooks } from "#lib/webhooks/operations.ts";
import { MAX_WEBHOOKS_PER_ORGANIZATION } from "#lib/webhooks/schema.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import { createWebhookAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "webhooks");

export default definePage(async function Webhooks({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, may } = await loadOrganizationPage(slug);
  if (!may.manageWebhooks) throwForbidden();
  const { webhooks, pagination } = await loadPageData(listWebhooks, { orgSlug: slug }, { page: query.page });
  const t = useTranslator("webhooks");
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader organization={organization} current="webhooks" may={may} />
      <CompletedActionNotice after={query.after} messages={{ removed: t("removed") }} />
      <p className="max-w-[68ch] text-muted">{t("about")}</p>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem] lg:grid-rows-[auto_1fr]">
        <div className="grid grid-cols-1 gap-6">
          <WebhookList webhooks={webhooks} path={`/orgs/${slug}/webhooks`} now={new Date()} />
          <PaginationNav
            path={`/orgs/${slug}/webhooks`}
            query={{}}
            page={pagination.page}
            pages={pagination.totalPages}
          />
        </div>
        <div className="lg:row-span-2">
          <NewWebhookForm organization={slug} full={pagination.total >= MAX_WEBHOOKS_PER_ORGANIZATION} />
        </div>
        <WebhookHelp />
      </div>
    </div>
  );
});

type WebhookListItem = {
  id: string;
  url: string;
  kinds: string[];
  description: string | null;
  enabled: boolean;
  disabledReason: "person" | "failures" | null;
  failingSince: string | null;
  createdAt: string;
};

function WebhookList({
  webhooks,
  path,
  now,
}: {
  webhooks: readonly WebhookListItem[];
  path: string;
  now: Date;
}) {
  const t = useTranslator("webhooks");
  return (
    <section className="grid grid-cols-1 gap-4" aria-labelledby="webhooks">
      <h2 id="webhooks" className="text-xl">
        {t("list")}
      </h2>
      {webhooks.length === 0 ? (
        <EmptyState icon="webhook" title={t("none")}>
          <p>{t("none.about")}</p>
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-1 gap-4">
          {webhooks.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} path={path} now={now} />
          ))}
        </ul>
      )}
    </section>
  );
}

function WebhookItem({ webhook, path, now }: { webhook: WebhookListItem; path: string; now: Date }) {
  const t = useTranslator("webhooks");
  const kindsText = useWebhookKindListFormatter();
  const { id, url, kinds, description, createdAt } = webhook;
  return (
    <li className="grid grid-cols-1 gap-2 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-lg wrap-anywhere">
          <TextLink href={`${path}/${id}`} className="-my-2 inline-block py-2">
            {url}
          </TextLink>
        </h3>
        <WebhookStatusBadge webhook={webhook} />
      </div>
      {description && (
        <p dir="auto" className="wrap-anywhere">
          {description}
        </p>
      )}
      <p className="text-sm text-muted">{kindsText(kinds)}</p>
      <p className="text-sm text-muted">
        {t.rich("made", { time: () => <Time key="time" value={createdAt} now={now} /> })}
      </p>
    </li>
  );
}

function NewWebhookForm({ organization, full }: { organization: string; full: boolean }) {
  const t = useTranslator("webhooks");
  return (
    <Card title={t("new")}>
      {full ? (
        <p className="text-muted">{t("full", { count: MAX_WEBHOOKS_PER_ORGANIZATION })}</p>
      ) : (
        <Form action={createWebhookAction} hidden={{ organization }} label={t("new")} resetOnSuccess>
          <ClientMessagesProvider of={["secret"]}>
            <NewWebhookSecretDisplay />
          </ClientMessagesProvider>
          <WebhookFields />
          <FormActions>
            <SubmitButton pendingLabel={t("creating")}>{t("create")}</SubmitButton>
          </FormActions>
        </Form>
      )}
    </Card>
  );
}
