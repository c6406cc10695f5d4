import { useTranslator } from "#words";
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

/** The event that somebody comes from who is to sign in, and its way out. */
export type SignInOrigin = {
  exit: QuickExitTarget;
  event: PublicEventRecord | null;
  settings: PublicReportSettings | null;
};

/** Reads it from the path that sign-in leads back to; null where that is no page of an event. */
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

/** Said before anybody makes an account for nothing: an invite is what it takes, and whom one can reach without. */
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

/** Whom to call in danger, where somebody signs in on the way to a report. */
export function OriginEmergencyNotice({ from }: Props) {
  if (!from?.settings) return null;
  return <EmergencyNotice contact={from.settings.emergencyContact} />;
}
