import { useWords } from "#words";
import { Danger } from "./danger.tsx";
import { Note } from "./note.tsx";
import { ReachNow } from "./reach-now.tsx";
import {
  type EventOfPage,
  type Exit,
  exitOf,
  type ReportSettingsOfPage,
  visibleEvent,
  visibleSettings,
} from "./this-event.ts";

/** The event that somebody comes from who is to sign in, and its way out. */
export type ComingFrom = {
  exit: Exit;
  event: EventOfPage | null;
  settings: ReportSettingsOfPage | null;
};

/** Reads it from the path that sign-in leads back to; null where that is no page of an event. */
export async function comingFrom(next: string | null): Promise<ComingFrom | null> {
  const slug = /^\/e\/([a-z0-9-]+)(?:[/?#]|$)/.exec(next ?? "")?.[1];
  if (!slug) return null;
  const [exit, event, settings] = await Promise.all([
    exitOf(slug),
    visibleEvent(slug),
    visibleSettings(slug),
  ]);
  return { exit, event, settings };
}

type Props = { from: ComingFrom | null };

/** Said before anybody makes an account for nothing: an invite is what it takes, and whom one can reach without. */
export function InviteNeeded({ from }: Props) {
  const t = useWords("report");
  if (!from?.event) return null;
  return (
    <Note title={t("inviteNeeded")}>
      <p>{t("inviteNeededWhy", { event: from.event.name })}</p>
      <ReachNow address={from.event.contactEmail} />
    </Note>
  );
}

/** Whom to call in danger, where somebody signs in on the way to a report. */
export function DangerThere({ from }: Props) {
  if (!from?.settings) return null;
  return <Danger contact={from.settings.emergencyContact} />;
}
