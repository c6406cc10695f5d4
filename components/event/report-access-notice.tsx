import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "./emergency-notice.tsx";
import { TitledCallout } from "./titled-callout.tsx";
import { EventTeamContactNotice } from "./contact-notice.tsx";
import {
  type PublicEventRecord,
  type QuickExitTarget,
  acceptsReportsFromAnyAccount,
  loadQuickExitTarget,
  type EventReportSettingsRecord,
  findPublicEventAndSetZone,
  findEventReportSettingsOfPage,
} from "./event-data.ts";
import { findWhoCanReportMessageKey, ReportWithoutAccountLink } from "./without-account.tsx";

/** The event from which a visitor came to the sign-in page, with its quick exit. */
export type SignInOriginEvent = {
  exit: QuickExitTarget;
  event: PublicEventRecord | null;
  settings: EventReportSettingsRecord | null;
};

/**
 * Finds the event from which a visitor came to the sign-in page.
 * @param next the path to return to after sign-in
 * @returns null if that isn't an event's page
 */
export async function findSignInOriginEvent(next: string | null): Promise<SignInOriginEvent | null> {
  const slug = /^\/e\/([a-z0-9-]+)(?:[/?#]|$)/.exec(next ?? "")?.[1];
  if (!slug) return null;
  const [exit, event, settings] = await Promise.all([
    loadQuickExitTarget(slug),
    findPublicEventAndSetZone(slug),
    findEventReportSettingsOfPage(slug),
  ]);
  return { exit, event, settings };
}

type Props = { from: SignInOriginEvent | null };

/**
 * Says what reporting at the event requires (nothing, an account or an invite), so that nobody creates an account in
 * vain.
 */
export function ReportAccountRequirementNotice({
  from,
  registration,
}: Props & { registration: "open" | "invite" }) {
  const t = useTranslator("report");
  if (!from?.event) return null;
  const { event, settings } = from;
  if (settings?.withoutAccount) return <AccountOptionalNotice event={event} settings={settings} />;
  const isOpen = settings !== null && acceptsReportsFromAnyAccount(event, settings);
  const isOver = !isOpen && settings?.whoCanReport === "account";
  return (
    <TitledCallout
      title={t(isOpen ? "accountNeeded" : isOver ? "overTitle" : "inviteNeeded", { event: event.name })}
    >
      <p>
        {isOpen
          ? t(registration === "open" ? "accountNeededWhy" : "accountNeededClosed")
          : t(isOver ? "overSignIn" : "inviteNeededWhy", { event: event.name })}
      </p>
      <EventTeamContactNotice address={event.contactEmail} />
    </TitledCallout>
  );
}

function AccountOptionalNotice({
  event,
  settings,
}: {
  event: PublicEventRecord;
  settings: EventReportSettingsRecord;
}) {
  const t = useTranslator("report");
  const tVisitor = useTranslator("visitor");
  const whoCanReportKey = findWhoCanReportMessageKey(event, settings);
  return (
    <TitledCallout title={t("accountOptional")}>
      <ReportWithoutAccountLink slug={event.slug} primary />
      {whoCanReportKey && <p>{tVisitor(whoCanReportKey)}</p>}
      <EventTeamContactNotice address={event.contactEmail} />
    </TitledCallout>
  );
}

/** The emergency contact, for a person signing in on the way to a report. */
export function SignInEmergencyNotice({ from }: Props) {
  if (!from?.settings) return null;
  return <EmergencyContactsNotice settings={from.settings} />;
}
