import type { Metadata } from "next";
import { cache } from "react";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { SwitchAccountForm } from "#components/account/switch-account.tsx";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { LogoRow } from "#components/event/logo-row.tsx";
import { ReportReadersText } from "#components/event/readers-text.tsx";
import {
  findSameSiteEventLogoPath,
  findPublicEventAndSetZone,
  findEventReportSettingsOfPage,
} from "#components/event/event-data.ts";
import { QuickExitBarWithoutScript } from "#components/incident/exit-bar.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage, renderWithStatus } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME_LENGTH } from "#lib/accounts/schema.ts";
import { addNextParameter } from "#lib/http/next-path.ts";
import { loadOptionalPageData, getCurrentActor } from "#lib/http/page.ts";
import { toRelativeUrl } from "#lib/design/relative-url.ts";
import { formatDateTime } from "#lib/design/time.ts";
import { showInvite } from "#lib/invites/operations.ts";
import type { Actor } from "#lib/operation/policy.ts";
import type { MessageKey } from "#lib/i18n/catalogue.ts";
import { MessagePage } from "#components/shell/message-page.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { mailQuestionMarkIcon } from "#lib/design/icons.ts";
import { acceptInviteAction, registerWithInviteAction } from "./actions.ts";
import {
  compareInviteWithHeldRoles,
  getInvitedPlaceName,
  type InviteTargetAndRole,
  buildPathAfterAcceptingInvite,
  listMemberTexts,
} from "./invite-offer.ts";

type Props = { params: Promise<{ code: string }> };

/** The title says only whether the invite can be used, because titles stay in browser history. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const t = await getTranslator("invite");
  const { code } = await params;
  // An error here also occurs in the page, which shows it.
  const grant = await loadInvite(code).catch(() => null);
  const unusableReason =
    grant && findUnusableReason(grant, { actor: await getCurrentActor(), now: new Date() });
  return { title: t(unusableReason ? unusableReason.why : "title") };
}

/** Loads the invite, or null; once for each request, since the title and the page both need it. */
const loadInvite = cache((code: string) => loadOptionalPageData(showInvite, { code }));

/** The page of an invite: its role, its organization or event, and the form to accept it. */
export default definePage(async function InvitePage({ params }: Props) {
  const { code } = await params;
  const grant = await loadInvite(code);
  if (!grant) return await renderWithStatus(404, <InviteNotFound />);
  const actor = await getCurrentActor();
  const unusableReason = findUnusableReason(grant, { actor, now: new Date() });
  const reporting = await loadReporting(grant);
  return (
    <NarrowFrame>
      {reporting && <QuickExitBarWithoutScript event={reporting.event.slug} />}
      <div className="grid gap-6 pb-28 wrap-anywhere xl:pb-0">
        <InviteHeader grant={grant} over={unusableReason} logo={reporting?.logo} />
        {reporting && !unusableReason && <ReportingIntro {...reporting} />}
        {unusableReason ? (
          <UnusableInvite grant={grant} over={unusableReason} />
        ) : (
          <InviteResponse code={code} grant={grant} actor={actor} />
        )}
        {reporting && <EmergencyContactsNotice settings={reporting.settings} />}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

/** Loads the event's settings that an invited reporter needs to know; null for other invites. */
async function loadReporting({ event: invitedTo, invite }: InviteTargetAndRole) {
  if (!invitedTo || invite.role !== "Reporter") return null;
  const [event, settings] = [
    await findPublicEventAndSetZone(invitedTo.slug),
    await findEventReportSettingsOfPage(invitedTo.slug),
  ];
  return event && settings && { event, settings, logo: findSameSiteEventLogoPath(event) };
}

type Reporting = NonNullable<Awaited<ReturnType<typeof loadReporting>>>;

function ReportingIntro({ event, settings }: Reporting) {
  const t = useTranslator("invite");
  const report = useTranslator("report");
  return (
    <div className="grid max-w-[60ch] gap-4">
      <p className="text-lg">{t("reportLead")}</p>
      <section aria-labelledby="readers" className="grid gap-1">
        <h2 id="readers" className="text-lg">
          {report("who")}
        </h2>
        <ReportReadersText
          event={event}
          names={settings.team.map(({ name }) => name)}
          isTeamKnown={settings.showTeam}
        />
      </section>
    </div>
  );
}

type ViewedInvite = InviteTargetAndRole & {
  invite: { role: string; expiresAt: string | null; usable: boolean; outsidePerson: boolean };
};

/** Why an invite can't be used. Apart from expiry, the public can't tell the reasons apart. */
type UnusableReason = { why: "expired"; at: Date } | { why: "unusable" };

/** Returns null while the invite can be used, and for people who are members already. */
function findUnusableReason(
  grant: ViewedInvite,
  { actor, now }: { actor: Actor | null; now: Date },
): UnusableReason | null {
  if (grant.invite.usable || (actor && compareInviteWithHeldRoles(grant, actor))) return null;
  const until = grant.invite.expiresAt && new Date(grant.invite.expiresAt);
  return until && until <= now ? { why: "expired", at: until } : { why: "unusable" };
}

type HeaderProps = { grant: ViewedInvite; over: UnusableReason | null; logo: string | null | undefined };

function InviteHeader({ grant, over: unusableReason, logo }: HeaderProps) {
  const t = useTranslator("invite");
  const { organization, event, invite } = grant;
  const isForReporter = event !== null && invite.role === "Reporter";
  return (
    <div className="grid gap-5">
      {logo && event ? (
        <LogoRow src={logo} alt={t("logoOf", { name: event.name })} />
      ) : (
        organization.logoUrl && (
          <LogoRow src={toRelativeUrl(organization.logoUrl)} alt={t("logoOf", { name: organization.name })} />
        )
      )}
      <h1 className="text-2xl sm:text-3xl">
        {unusableReason
          ? t(unusableReason.why)
          : t(isForReporter ? "headingReport" : "heading", { name: getInvitedPlaceName(grant) })}
      </h1>
      <DefinitionList
        items={[
          ...(event ? [{ term: t("event"), value: event.name }] : []),
          { term: t("organization"), value: organization.name },
          {
            term: t("yourRole"),
            value: <OfferedRole name={invite.outsidePerson ? "outsidePerson" : invite.role} />,
          },
          ...(unusableReason
            ? []
            : [
                {
                  term: t("openUntil"),
                  value: invite.expiresAt ? <Time value={invite.expiresAt} /> : t("noEnd"),
                },
              ]),
        ]}
      />
    </div>
  );
}

function OfferedRole({ name }: { name: string }) {
  const t = useTranslator("invite");
  return (
    <>
      <span className="font-[650]">{t(`role.${name}` as MessageKey<"invite">)}</span>
      <span className="block text-muted">{t(`about.${name}` as MessageKey<"invite">)}</span>
    </>
  );
}

type ResponseProps = { code: string; grant: ViewedInvite; actor: Actor | null };

function InviteResponse({ code, grant, actor }: ResponseProps) {
  const held = actor && compareInviteWithHeldRoles(grant, actor);
  if (held) return <AlreadyMemberNotice grant={grant} held={held} />;
  return actor ? (
    <AcceptInviteForm code={code} grant={grant} actor={actor} />
  ) : (
    <NewcomerRegistration code={code} />
  );
}

type HeldRole = NonNullable<ReturnType<typeof compareInviteWithHeldRoles>>;

function AlreadyMemberNotice({ grant, held }: { grant: ViewedInvite; held: HeldRole }) {
  const t = useTranslator("invite");
  const name = getInvitedPlaceName(grant);
  return (
    <>
      <Notice
        kind={held === "less" ? "info" : "success"}
        title={held === "this" ? t("taken") : t("member", { name })}
      >
        <p>
          {listMemberTexts(held, grant.invite)
            .map((text) => t(text, { name }))
            .join(" ")}
        </p>
      </Notice>
      <div>
        <LinkButton href={buildPathAfterAcceptingInvite(grant)} variant="primary">
          {t("goTo", { name })}
        </LinkButton>
      </div>
    </>
  );
}

function AcceptInviteForm({ code, grant, actor }: { code: string; grant: ViewedInvite; actor: Actor }) {
  const t = useTranslator("invite");
  return (
    <div className="grid gap-4">
      <Form action={acceptInviteAction} hidden={{ code }} label={t("acceptForm")}>
        <p className="text-muted">
          {t.rich("signedInAs", {
            name: actor.name,
            email: actor.email,
            strong: (chunks) => <span className="text-ink">{chunks}</span>,
          })}
        </p>
        <FormActions>
          <SubmitButton pendingLabel={t("joining")}>
            {t("join", { name: getInvitedPlaceName(grant) })}
          </SubmitButton>
        </FormActions>
      </Form>
      <SwitchAccountForm next={`/invite/${code}`} />
    </div>
  );
}

function NewcomerRegistration({ code }: { code: string }) {
  const t = useTranslator("invite");
  return (
    <>
      <Card title={t("haveAccount")}>
        <div className="grid gap-3">
          <p className="text-muted">{t("signInAbout")}</p>
          <div>
            <LinkButton href={addNextParameter("/login", `/invite/${code}`)}>{t("signIn")}</LinkButton>
          </div>
        </div>
      </Card>
      <Card title={t("newHere")}>
        <Form action={registerWithInviteAction} hidden={{ code }} label={t("registerForm")}>
          <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME_LENGTH} />
          <FormActions>
            <SubmitButton pendingLabel={t("registering")}>{t("register")}</SubmitButton>
          </FormActions>
        </Form>
      </Card>
    </>
  );
}

function UnusableInvite({ grant, over: unusableReason }: { grant: ViewedInvite; over: UnusableReason }) {
  const t = useTranslator("invite");
  const times = useTimeFormatOptions();
  return (
    <>
      <Notice kind="warning">
        <p>
          {unusableReason.why === "expired"
            ? t("expiredAbout", { time: formatDateTime(unusableReason.at, times) })
            : t("unusableAbout")}
        </p>
      </Notice>
      {grant.event && <UrgentHelp event={grant.event} />}
    </>
  );
}

/** Shows a person who came to report something where to get help without a usable invite. */
function UrgentHelp({ event }: { event: { name: string; slug: string } }) {
  const t = useTranslator("invite");
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-muted">{t("urgent", { event: event.name })}</p>
      <LinkButton href={`/e/${event.slug}`}>{t("toEvent", { event: event.name })}</LinkButton>
    </div>
  );
}

/** Shown instead of the general 404: an invited person needs other help than one who mistyped a URL. */
function InviteNotFound() {
  const t = useTranslator("invite");
  const shell = useTranslator("shell");
  return (
    <NarrowFrame>
      <MessagePage
        icon={mailQuestionMarkIcon}
        title={t("none")}
        actions={
          <a href="/" className={buildButtonClass()}>
            {shell("toStart")}
          </a>
        }
      >
        <p>{t("noneAbout")}</p>
      </MessagePage>
    </NarrowFrame>
  );
}
