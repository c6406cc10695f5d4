import type { z } from "zod";
import { useTranslator } from "#i18n";
import { ReauthenticationFields } from "#components/account/reauthentication.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SearchParams } from "#lib/design/query.ts";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { showUser } from "#lib/admin/operations.ts";
import type { AdminUserDetails } from "#lib/admin/schema.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { setSystemAdminOrDisabledAction, resetAccountSecondFactorAction } from "./actions.ts";

export const generateMetadata = createSystemPageMetadataLoader("accounts");

type Account = z.output<typeof AdminUserDetails>;
type Props = { params: Promise<{ userId: string }>; searchParams: Promise<SearchParams> };

/** One account: its data, its memberships, and what a system administrator can do about it. */
export default definePage(async function AccountPage({ params, searchParams }: Props) {
  const actor = await getActorOrRedirectToSignIn();
  const [{ user }, { account }] = await Promise.all([
    loadPageData(showUser, await params),
    loadPageData(showOwnAccount),
  ]);
  const t = useTranslator("system");
  return (
    <div className="grid gap-6">
      <PageHeader
        title={user.name}
        breadcrumbs={[
          { label: t("title"), href: "/system" },
          { label: t("accounts"), href: "/system/users" },
        ]}
        meta={<AccountStatus user={user} isSelf={user.id === actor.id} />}
      />
      <CompletedActionNotice
        after={(await searchParams).after}
        messages={{ changed: t("changed"), factorReset: t("factorReset") }}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid gap-6">
          <Card>
            <AccountFacts user={user} />
          </Card>
          <Card title={t("memberships")}>
            <MembershipList user={user} />
          </Card>
        </div>
        <Card title={t("actions")}>
          <AccountActions user={user} isSelf={user.id === actor.id} withCode={account.secondFactor.enabled} />
        </Card>
      </div>
    </div>
  );
});

function AccountStatus({ user, isSelf }: { user: Account; isSelf: boolean }) {
  const t = useTranslator("system");
  return (
    <>
      <span className="wrap-anywhere">{user.email}</span>
      {user.systemAdmin && <Badge tone="accent">{t("systemAdmin")}</Badge>}
      <Badge tone={user.disabledAt ? "danger" : "positive"}>
        {t(user.disabledAt ? "disabled" : "enabled")}
      </Badge>
      {!user.emailVerified && <Badge tone="caution">{t("emailUnverified")}</Badge>}
      {isSelf && <Badge icon={null}>{t("you")}</Badge>}
    </>
  );
}

function AccountFacts({ user }: { user: Account }) {
  const t = useTranslator("system");
  return (
    <DefinitionList
      items={[
        { term: t("since"), value: <Time value={user.createdAt} show="date" /> },
        {
          term: t("lastActive"),
          value: user.lastActiveAt ? <Time value={user.lastActiveAt} show="date" /> : t("never"),
        },
        { term: t("sessions"), value: t("sessionsCount", { count: user.sessions }) },
        { term: t("tokens"), value: user.tokens },
        { term: t("secondFactor"), value: t(user.secondFactor ? "on" : "off") },
      ]}
    />
  );
}

function MembershipList({ user: { memberships } }: { user: Account }) {
  const t = useTranslator("system");
  const incident = useTranslator("incident");
  const { organizations, events } = memberships;
  if (organizations.length + events.length === 0) return <p className="text-muted">{t("noPlaces")}</p>;
  return (
    <ul className="divide-y divide-line">
      {organizations.map(({ id, name, slug, role }) => (
        <MembershipItem key={id} name={name} href={`/orgs/${slug}`} roles={[incident(`role.${role}`)]} />
      ))}
      {events.map(({ id, name, slug, roles }) => (
        <MembershipItem
          key={id}
          name={name}
          href={`/e/${slug}`}
          roles={roles.map((role) => incident(`role.${role}`))}
        />
      ))}
    </ul>
  );
}

function MembershipItem({ name, href, roles }: { name: string; href: string; roles: readonly string[] }) {
  const joinTexts = useCommaJoiner();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 py-1">
      <TextLink href={href} className="inline-flex min-h-11 items-center wrap-anywhere">
        {name}
      </TextLink>
      <span className="text-muted">{joinTexts(roles)}</span>
    </li>
  );
}

type ActionsProps = {
  user: Account;
  isSelf: boolean;
  /** Whether the administrator uses two-factor sign-in. */
  withCode: boolean;
};

function AccountActions({ user, isSelf, withCode }: ActionsProps) {
  return (
    <div className="grid gap-6">
      <AccountChangeForm
        user={user}
        what={{ name: "disabled", value: user.disabledAt === null }}
        change={user.disabledAt === null ? "disable" : "enable"}
      />
      <AccountChangeForm
        user={user}
        what={{ name: "systemAdmin", value: !user.systemAdmin }}
        change={user.systemAdmin ? "takeAdmin" : "makeAdmin"}
      />
      {user.secondFactor && !isSelf && <SecondFactorResetForm user={user} withCode={withCode} />}
    </div>
  );
}

/** @param withCode whether the administrator uses two-factor sign-in too */
function SecondFactorResetForm({ user, withCode }: { user: Account; withCode: boolean }) {
  const t = useTranslator("system");
  return (
    <Form
      action={resetAccountSecondFactorAction}
      hidden={{ userId: user.id }}
      dialog={{
        trigger: t("resetFactor.open"),
        title: t("resetFactor"),
        variant: "secondary",
        className: "w-full",
      }}
    >
      <p className="max-w-[60ch]">{t("resetFactorAbout")}</p>
      <ReauthenticationFields withCode={withCode} />
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("saving")}>
          {t("resetFactor")}
        </SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}

type ChangeProps = {
  user: Account;
  what: { name: "disabled" | "systemAdmin"; value: boolean };
  /** Message key of the change. Those of the button that opens the dialog, and of the description, begin with it. */
  change: "disable" | "enable" | "makeAdmin" | "takeAdmin";
};

function AccountChangeForm({ user, what, change }: ChangeProps) {
  const t = useTranslator("system");
  const isDangerous = what.name === "disabled" && what.value;
  return (
    <Form
      action={setSystemAdminOrDisabledAction}
      hidden={{ userId: user.id, [what.name]: String(what.value) }}
      dialog={{
        trigger: t(`${change}.open`),
        title: t(change),
        variant: isDangerous ? "danger" : "secondary",
        className: "w-full",
      }}
    >
      <p className="max-w-[60ch]">{t(`${change}About`)}</p>
      <FormActions>
        <SubmitButton variant={isDangerous ? "danger" : "primary"} pendingLabel={t("saving")}>
          {t(change)}
        </SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}
