import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { CodeOfConduct } from "#components/event/conduct.tsx";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { PublicEventHeader } from "#components/event/public-event-header.tsx";
import { GoLiveChecklist } from "#components/event/go-live.tsx";
import { ReportHandlingSteps } from "#components/event/handling-steps.tsx";
import { QuickExitBarWithoutScript } from "#components/incident/exit-bar.tsx";
import { EventTeamContactNotice } from "#components/event/contact-notice.tsx";
import { TitledCallout } from "#components/event/titled-callout.tsx";
import { findWhoCanReportMessageKey } from "#components/event/without-account.tsx";
import {
  acceptsReportsFromAnyAccount,
  loadPublicEventAndSetZone,
  type PublicEventRecord,
  loadPublicEventMetadata,
  loadEventReportSettingsOfPage,
  type EventReportSettingsRecord,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { megaphoneIcon } from "#lib/design/icons.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { checkSetup } from "#lib/accounts/operations.ts";
import { showGoLive } from "#lib/events/operations.ts";
import { takeRefusedForm } from "#lib/http/form-drafts.ts";
import { getCurrentActor, loadPageData } from "#lib/http/page.ts";
import {
  type Actor,
  can,
  getEventRolesOfActor,
  isOnAnyTeamOrSystemAdmin,
  hasAccessToEventOrOrganization,
  hasTeamAccessToEvent,
} from "#lib/operation/policy.ts";

export const generateMetadata = ({ params }: EventPageProps): Promise<Metadata> =>
  loadPublicEventMetadata(params);

/**
 * The public page of an event: what it is, its code of conduct, and where to report. It sends no script of
 * its own, so its parts are server components, links are plain, and icons use `IconWithoutScript`.
 */
export default definePage(async function EventPage({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const event = await loadPublicEventAndSetZone(slug);
  const settings = await loadEventReportSettingsOfPage(slug);
  const actor = await getCurrentActor();
  const member = actor !== null && hasAccessToEventOrOrganization(actor, { eventId: event.id });
  const isAdmin = can(actor, "event.update", { eventId: event.id });
  const goLive = isAdmin && event.isActive && (await loadPageData(showGoLive, { slug })).goLive;
  const reason = await loadReason({ actor, event, settings });
  return (
    <NarrowFrame width="reading" aside={<HeaderLinks actor={actor} slug={slug} />}>
      <QuickExitBarWithoutScript event={slug} />
      <div className="grid gap-10 pb-28 xl:pb-0">
        <PublicEventHeader event={event} />
        {!event.isActive && <EventOverNotice hasReader={settings.hasReader} />}
        {await renderJoinResult(actor, member, await searchParams)}
        <ReportOrNotOpen event={event} settings={settings} actor={actor} member={member} reason={reason} />
        {actor && <TeamForm event={event} actor={actor} />}
        {member && <MemberLinks event={event} actor={actor} />}
        {goLive && !goLive.ready && <GoLiveChecklist slug={slug} steps={goLive.steps} />}
        {actor && !member && settings.hasReader && acceptsReportsFromAnyAccount(event, settings) && (
          <JoinForm event={event} />
        )}
        <EmergencyContactsNotice settings={settings} />
        {event.description && (
          <p dir="auto" className="reading">
            {event.description}
          </p>
        )}
        <CodeOfConductSection event={event} isOpen={settings.hasReader} />
        <ResponseTeamSection settings={settings} />
        <ContactSection event={event} />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function HeaderLinks({ actor, slug }: { actor: Actor | null; slug: string }) {
  const t = useTranslator("visitor");
  const next = encodeURIComponent(`/e/${slug}`);
  return (
    <a
      href={actor ? "/inbox" : `/login?next=${next}`}
      className="text-link inline-flex min-h-11 items-center"
    >
      {t(actor ? (isOnAnyTeamOrSystemAdmin(actor) ? "incidents" : "yourReports") : "signIn")}
    </a>
  );
}

function EventOverNotice({ hasReader }: { hasReader: boolean }) {
  const t = useTranslator("visitor");
  return <TitledCallout title={t("over")}>{hasReader && <p>{t("overWhy")}</p>}</TitledCallout>;
}

/** Instead of the way to the form while nobody can read reports. Somebody who has reported still finds the mailbox. */
function EventNotOpenNotice({ event }: { event: PublicEventRecord }) {
  const t = useTranslator("visitor");
  return (
    <div className="grid justify-items-start gap-3">
      <TitledCallout title={t("notOpen")}>
        <p>{t("notOpenWhy")}</p>
        <EventTeamContactNotice address={event.contactEmail} />
      </TitledCallout>
      <a href="/mailbox" className="text-link inline-flex min-h-11 items-center">
        {t("comeBack")}
      </a>
    </div>
  );
}

type Reason =
  | "whyMember"
  | "whyMemberUnread"
  | "whyAccount"
  | "whyNoAccount"
  | "whyNoAccountClosed"
  | "whySignedIn"
  | "whyVisitor"
  | "whyOver"
  | "orSignIn"
  | "orMembers"
  | "orMembersOver";

type NonMember = {
  actor: Actor | null;
  event: PublicEventRecord;
  settings: EventReportSettingsRecord;
};

/**
 * Returns the key of the text that says what a non-member needs in order to report or, where anyone can report without
 * an account, to report with one.
 */
async function loadReason({ actor, event, settings }: NonMember): Promise<Reason> {
  if (settings.withoutAccount)
    return findWhoCanReportMessageKey(event, settings) ?? (actor ? "whyAccount" : "orSignIn");
  if (acceptsReportsFromAnyAccount(event, settings)) {
    if (actor) return "whyAccount";
    const { registration } = await loadPageData(checkSetup);
    return registration === "open" ? "whyNoAccount" : "whyNoAccountClosed";
  }
  if (!event.isActive && settings.whoCanReport === "account") return "whyOver";
  return actor ? "whySignedIn" : "whyVisitor";
}

/** Members may report also where nobody can read it, which the form says first. */
function ReportOrNotOpen({
  event,
  settings: { hasReader, withoutAccount },
  actor,
  member,
  reason,
}: NonMember & { member: boolean; reason: Reason }) {
  if (!member && !hasReader) return <EventNotOpenNotice event={event} />;
  return (
    <ReportCallout
      event={event}
      reason={member && !hasReader ? "whyMemberUnread" : reason}
      withoutAccount={withoutAccount && !member}
      isSignedIn={actor !== null}
    />
  );
}

type CalloutProps = {
  event: PublicEventRecord;
  reason: Reason;
  withoutAccount: boolean;
  isSignedIn: boolean;
};

/** Where no account is needed, the first button leads straight to the form. */
function ReportCallout({ event, reason, withoutAccount, isSignedIn }: CalloutProps) {
  const t = useTranslator("visitor");
  const formPath = `/e/${event.slug}/report`;
  return (
    <section aria-label={t("report")} className="grid justify-items-start gap-3">
      <a
        href={withoutAccount ? `${formPath}?without=account` : formPath}
        className={buildButtonClass("primary", "w-full py-3 text-lg sm:w-auto sm:px-6")}
      >
        <IconWithoutScript of={megaphoneIcon} className="rtl:-scale-x-100" />
        {t("reportSomething")}
      </a>
      {withoutAccount && (
        <a
          href={isSignedIn ? formPath : `/login?next=${encodeURIComponent(formPath)}`}
          className={buildButtonClass("secondary", "w-full sm:w-auto")}
        >
          {t("reportWithAccount")}
        </a>
      )}
      <a href="/mailbox" className="text-link inline-flex min-h-11 items-center">
        {t("comeBack")}
      </a>
      <div className="grid max-w-[60ch] gap-1 text-muted">
        {withoutAccount && <p>{t("withoutAccountWhy")}</p>}
        <p>{t(reason)}</p>
        {!reason.startsWith("whyMember") && <EventTeamContactNotice address={event.contactEmail} />}
      </div>
    </section>
  );
}

/** Renders whether joining the event worked, if the reader has just sent the form for it. */
async function renderJoinResult(
  actor: Actor | null,
  isMember: boolean,
  { after, return: returnKey }: SearchParams,
): Promise<ReactNode> {
  if (after === "joined" && isMember) return <JoinedNotice />;
  if (!actor || typeof returnKey !== "string") return null;
  const refused = await takeRefusedForm(actor.id, returnKey);
  return (
    refused?.error && (
      <p role="alert" className="rounded-surface bg-danger-soft p-4 font-[650]">
        {refused.error}
      </p>
    )
  );
}

function JoinedNotice() {
  const t = useTranslator("visitor");
  return (
    <p role="status" className="rounded-surface bg-positive-soft p-4 font-[650]">
      {t("joined")}
    </p>
  );
}

/** A form that joins the event, apart from any report. Posts to a route, so that the page needs no script. */
function JoinForm({ event }: { event: PublicEventRecord }) {
  const t = useTranslator("visitor");
  return (
    <form method="post" action={`/e/${event.slug}/join`} className="-mt-4 grid justify-items-start gap-2">
      <button type="submit" className={buildButtonClass()}>
        {t("join")}
      </button>
      <p className="max-w-[60ch] text-muted">{t("joinWhy")}</p>
    </form>
  );
}

/** For an admin of the event's organization who isn't on its team. */
function TeamForm({ event, actor }: { event: PublicEventRecord; actor: Actor }) {
  const t = useTranslator("visitor");
  const { id: eventId, organizationId, slug } = event;
  const isOnTeam = getEventRolesOfActor(actor, eventId).some((role) => role !== "Reporter");
  if (isOnTeam || !can(actor, "event.joinTeam", { eventId, organizationId })) return null;
  return (
    <form method="post" action={`/e/${slug}/join?team=true`} className="-mt-4 grid justify-items-start gap-2">
      <button type="submit" className={buildButtonClass()}>
        {t("joinTeam")}
      </button>
      <p className="max-w-[60ch] text-muted">{t("joinTeamWhy")}</p>
    </form>
  );
}

function MemberLinks({ event, actor }: { event: PublicEventRecord; actor: Actor }) {
  const t = useTranslator("visitor");
  const tIntake = useTranslator("intake");
  const base = `/e/${event.slug}`;
  return (
    <nav aria-label={t("forMembers")} className="-mt-4">
      <ul className="flex flex-wrap gap-2">
        <li>
          <a href={`${base}/incidents`} className={buildButtonClass()}>
            {t(hasTeamAccessToEvent(actor, event.id) ? "reports" : "yourReports")}
          </a>
        </li>
        {can(actor, "intake.take", { eventId: event.id }) && (
          <li>
            <a href={`${base}/take`} className={buildButtonClass()}>
              {tIntake("take")}
            </a>
          </li>
        )}
        <li>
          <a href={`${base}/team`} className={buildButtonClass()}>
            {t("team")}
          </a>
        </li>
      </ul>
    </nav>
  );
}

function EventSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid gap-4 border-t border-line pt-6">
      <h2 id={id} className="text-xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

type ConductProps = { event: PublicEventRecord; isOpen: boolean };

function CodeOfConductSection({ event: { codeOfConduct }, isOpen }: ConductProps) {
  const t = useTranslator("visitor");
  return (
    <EventSection id="code-of-conduct" title={t("conduct")}>
      {codeOfConduct ? (
        <CodeOfConduct text={codeOfConduct} />
      ) : (
        <p className="text-muted">{t(isOpen ? "conductNone" : "conductNoneNotOpen")}</p>
      )}
    </EventSection>
  );
}

function ResponseTeamSection({
  settings: { team, answerWithinHours, hasReader },
}: {
  settings: EventReportSettingsRecord;
}) {
  const t = useTranslator("visitor");
  return (
    <>
      {hasReader && (
        <EventSection id="handled" title={t("handled")}>
          <ReportHandlingSteps answerWithinHours={answerWithinHours} />
        </EventSection>
      )}
      {team.length > 0 && (
        <EventSection id="team" title={t("respond")}>
          <p className="text-muted">{t("respondWhy")}</p>
          <ul className="flex flex-wrap gap-2">
            {team.map(({ name }, at) => (
              <li
                key={`${at} ${name}`}
                className="min-w-0 rounded-control border border-line bg-surface px-3 py-1.5 wrap-anywhere"
              >
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </EventSection>
      )}
    </>
  );
}

function ContactSection({ event: { contactEmail, website } }: { event: PublicEventRecord }) {
  const t = useTranslator("visitor");
  if (!website && !contactEmail) return null;
  const link = (href: string, label: string) => (
    <a className="text-link inline-flex min-h-11 items-center wrap-anywhere" href={href} rel="noreferrer">
      {label}
    </a>
  );
  return (
    <EventSection id="contact" title={t("contact")}>
      <DefinitionList
        items={[
          ...(contactEmail
            ? [{ term: t("email"), value: link(`mailto:${contactEmail}`, contactEmail) }]
            : []),
          ...(website ? [{ term: t("website"), value: link(website, website) }] : []),
        ]}
      />
    </EventSection>
  );
}
