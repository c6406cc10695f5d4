import { useTranslator } from "#i18n";
import { EmergencyNotice } from "./danger.tsx";
import { InfoBlock } from "./note.tsx";
import { ContactNotice } from "./reach-now.tsx";
import {
  type PublicEventRecord,
  type QuickExitTarget,
  loadQuickExit,
  type PublicReportSettings,
  findPublicEvent,
  findReportSettings,
} from "./this-event.ts";

/** The event that a person who must sign in comes from, with its quick exit. */
export type SignInOrigin = {
  exit: QuickExitTarget;
  event: PublicEventRecord | null;
  settings: PublicReportSettings | null;
};

/** Finds the event in the path to return to after sign-in; null if it isn't an event's page. */
export async function findSignInOrigin(next: string | null): Promise<SignInOrigin | null> {
  const slug = /^\/e\/([a-z0-9-]+)(?:[/?#]|$)/.exec(next ?? "")?.[1];
  if (!slug) return null;
  const [exit, event, settings] = await Promise.all([
    loadQuickExit(slug),
    findPublicEvent(slug),
    findReportSettings(slug),
  ]);
  return { exit, event, settings };
}

type Props = { from: SignInOrigin | null };

/**
 * Shown before somebody creates an account in vain: reporting takes an invite, and these people can be
 * reached without one.
 */
export function InviteRequiredNotice({ from }: Props) {
  const t = useTranslator("report");
  if (!from?.event) return null;
  return (
    <InfoBlock title={t("inviteNeeded")}>
      <p>{t("inviteNeededWhy", { event: from.event.name })}</p>
      <ContactNotice address={from.event.contactEmail} />
    </InfoBlock>
  );
}

/** The emergency contact, for a person signing in on the way to a report. */
export function OriginEmergencyNotice({ from }: Props) {
  if (!from?.settings) return null;
  return <EmergencyNotice contact={from.settings.emergencyContact} />;
}
