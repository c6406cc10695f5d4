import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { WebhookDeliveryList } from "#components/organization/delivery-log.tsx";
import { NewWebhookSecretDisplay } from "#components/organization/new-secret-field.tsx";
import { WebhookFields } from "#components/organization/webhook-fields.tsx";
import { WebhookHelp } from "#components/organization/webhook-help.tsx";
import { WebhookStatusBadge } from "#components/organization/webhook-status.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { throwForbidden, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listWebhookDeliveries, showWebhook } from "#lib/webhooks/operations.ts";
import { loadOrganizationPage, loadOrganizationPageMetadata } from "../../organization.ts";
import {
  changeWebhookAction,
  deleteWebhookAction,
  redeliverWebhookAction,
  rotateWebhookSecretAction,
  toggleWebhookAction,
  testWebhookAction,
} from "../actions.ts";

type Params = { params: Promise<{ slug: string; webhookId: string }> };

export const generateMetadata = ({ params }: Params): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "webhooks");

type Props = Params & { searchParams: Promise<SearchParams> };

/** One webhook: what it receives, its secret, and its deliveries. */
export default definePage(async function WebhookPage({ params, searchParams }: Props) {
  const { slug, webhookId } = await params;
  const query = await searchParams;
  const { organization, may } = await loadOrganizationPage(slug);
  if (!may.manageWebhooks) throwForbidden();
  const at = { orgSlug: slug, webhookId };
  const { webhook } = await loadPageData(showWebhook, at);
  const { deliveries, pagination } = await loadPageData(listWebhookDeliveries, at, { page: query.page });
  const path = `/orgs/${slug}/webhooks/${webhookId}`;
  const now = new Date();
  const hidden = { organization: slug, webhookId };
  return (
    <div className="grid grid-cols-1 gap-6">
      <WebhookHeader organization={organization} webhook={webhook} now={now} />
      <WebhookTroubleNotice webhook={webhook} hidden={hidden} now={now} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-[auto_1fr]">
        <DeliveriesSection path={path} hidden={hidden} after={query.after}>
          <WebhookDeliveryList
            deliveries={deliveries}
            again={webhook.enabled ? { action: redeliverWebhookAction, hidden } : null}
            now={now}
          />
          <PaginationNav path={path} query={{}} page={pagination.page} pages={pagination.totalPages} />
        </DeliveriesSection>
        <div className="grid grid-cols-1 gap-6 lg:row-span-2">
          <WebhookForm key={webhook.updatedAt} webhook={webhook} hidden={hidden} />
          <SecretSection hidden={hidden} />
          <WebhookStateSection webhook={webhook} hidden={hidden} />
        </div>
        <WebhookHelp />
      </div>
    </div>
  );
});

type HiddenFields = { organization: string; webhookId: string };

type WebhookSummary = {
  url: string;
  kinds: string[];
  description: string | null;
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: "person" | "failures" | null;
  failingSince: string | null;
  createdAt: string;
};

type HeadProps = { organization: { name: string; slug: string }; webhook: WebhookSummary; now: Date };

function WebhookHeader({ organization: { name, slug }, webhook, now }: HeadProps) {
  const t = useTranslator("webhooks");
  const tOrganization = useTranslator("organization");
  return (
    <PageHeader
      title={new URL(webhook.url).host}
      breadcrumbs={[
        { label: tOrganization("organizations"), href: "/orgs" },
        { label: name, href: `/orgs/${slug}` },
        { label: tOrganization("tab.webhooks"), href: `/orgs/${slug}/webhooks` },
      ]}
      meta={
        <>
          <WebhookStatusBadge webhook={webhook} />
          <span className="wrap-anywhere">{webhook.url}</span>
          <span>
            {t.rich("made", { time: () => <Time key="time" value={webhook.createdAt} now={now} /> })}
          </span>
        </>
      }
    />
  );
}

/** Why few or no deliveries arrive. */
function WebhookTroubleNotice({
  webhook,
  hidden,
  now,
}: {
  webhook: WebhookSummary;
  hidden: HiddenFields;
  now: Date;
}) {
  const t = useTranslator("webhooks");
  const { disabledAt, disabledReason, failingSince } = webhook;
  const time = (value: string) => ({ time: () => <Time key="time" value={value} now={now} /> });
  if (disabledAt)
    return (
      <Notice kind="warning" title={t(`off.${disabledReason ?? "person"}`)}>
        <p>{t.rich(`off.${disabledReason ?? "person"}.about`, time(disabledAt))}</p>
        <div className="mt-2">
          <WebhookToggle on={false} hidden={hidden} />
        </div>
      </Notice>
    );
  if (!failingSince) return null;
  return (
    <Notice kind="warning" title={t("failing")}>
      <p>{t.rich("failing.about", time(failingSince))}</p>
    </Notice>
  );
}

function WebhookToggle({ on, hidden }: { on: boolean; hidden: HiddenFields }) {
  const t = useTranslator("webhooks");
  return (
    <Form action={toggleWebhookAction} hidden={{ ...hidden, enabled: String(!on) }} className="!gap-2">
      <div>
        <SubmitButton variant={on ? "secondary" : "primary"} pendingLabel={t("saving")}>
          {t(on ? "turnOff" : "turnOn")}
        </SubmitButton>
      </div>
    </Form>
  );
}

type DeliveriesProps = {
  path: string;
  hidden: HiddenFields;
  after: SearchParams[string];
  children: ReactNode;
};

function DeliveriesSection({ path, hidden, after, children }: DeliveriesProps) {
  const t = useTranslator("webhooks");
  return (
    <section className="grid grid-cols-1 gap-4" aria-labelledby="deliveries">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="deliveries" className="text-xl">
          {t("deliveries")}
        </h2>
        <div className="flex flex-wrap items-start gap-2">
          <LinkButton href={path} icon="refresh-cw" variant="quiet">
            {t("refresh")}
          </LinkButton>
          <Form action={testWebhookAction} hidden={hidden} label={t("test")} className="!gap-2">
            <SubmitButton variant="secondary" pendingLabel={t("test.pending")}>
              <Icon as="send" /> {t("test")}
            </SubmitButton>
          </Form>
        </div>
      </div>
      <CompletedActionNotice
        after={after}
        messages={{ test: t("after.test"), redelivered: t("after.redelivered") }}
      />
      <p className="text-sm text-muted">{t("deliveries.about")}</p>
      {children}
    </section>
  );
}

function WebhookForm({ webhook, hidden }: { webhook: WebhookSummary; hidden: HiddenFields }) {
  const t = useTranslator("webhooks");
  return (
    <Card title={t("change")}>
      <Form action={changeWebhookAction} hidden={hidden} label={t("change")}>
        <WebhookFields webhook={webhook} />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

function SecretSection({ hidden }: { hidden: HiddenFields }) {
  const t = useTranslator("webhooks");
  return (
    <Card title={t("secret")}>
      <Form action={rotateWebhookSecretAction} hidden={hidden} label={t("secret")}>
        <ClientMessagesProvider of={["secret"]}>
          <NewWebhookSecretDisplay />
        </ClientMessagesProvider>
        <p className="text-muted">{t("secret.about")}</p>
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("saving")}>
            {t("secret.rotate")}
          </SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

function WebhookStateSection({ webhook, hidden }: { webhook: WebhookSummary; hidden: HiddenFields }) {
  const t = useTranslator("webhooks");
  return (
    <Card title={t("end")}>
      <div className="flex flex-wrap items-start gap-2">
        {webhook.enabled && <WebhookToggle on hidden={hidden} />}
        <Form
          action={deleteWebhookAction}
          hidden={hidden}
          label={t("remove")}
          dialog={{ trigger: t("remove.open"), variant: "quiet", title: t("remove.title") }}
        >
          <p>{t("remove.about")}</p>
          <FormActions>
            <SubmitButton variant="danger" pendingLabel={t("remove.pending")}>
              {t("remove")}
            </SubmitButton>
            <DismissDialogButton outcome="keep" />
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}
