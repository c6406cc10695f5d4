import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { UnverifiedEmailNotice } from "#components/account/unverified-notice.tsx";
import { useJumpPages } from "#components/jump/pages.ts";
import { QuickJump } from "#components/jump/quick-jump.tsx";
import { NotificationBell } from "#components/notification/notification-bell.tsx";
import { AccountMenu } from "#components/shell/account-menu.tsx";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { SignedOutCover } from "#components/shell/signed-out-cover.tsx";
import { chooseHomePath } from "#lib/http/next-path.ts";
import { getActorOrRedirectToSignIn, loadOptionalPageData } from "#lib/http/page.ts";
import { countNotifications } from "#lib/notifications/operations.ts";
import {
  isSystemAdmin,
  type Actor,
  isOnAnyTeamOrSystemAdmin,
  isReporterOnly,
} from "#lib/operation/policy.ts";
import { signOutAction } from "../(account)/actions.ts";

/** The frame of the signed-in pages. Each page still checks its own permission. */
export default definePage(async function AppLayout({ children }: { children: ReactNode }) {
  const actor = await getActorOrRedirectToSignIn();
  const unread = countUnread();
  return (
    <AppFrame
      home={chooseHomePath(actor)}
      nav={listNavItems(actor)}
      user={actor}
      bell={
        <>
          <UnreadBell unread={unread} />
          <SignedOutCover account={actor.id} leave={useQuickExitLabel(actor)} />
        </>
      }
      tools={<QuickJump pages={useJumpPages(actor)} />}
      userMenu={<AccountMenu signOut={signOutAction} />}
    >
      {actor.unverified && <UnverifiedEmailNotice email={actor.email} besideExit={isReporterOnly(actor)} />}
      {children}
    </AppFrame>
  );
}, NarrowFrame);

/**
 * Starts before the frame renders and isn't awaited there. Never rejects, because `definePage` can't catch
 * what a part of a page throws; a page without its unread count is better than none.
 */
const countUnread = () =>
  loadOptionalPageData(countNotifications).then(
    (found) => found && found.unread,
    () => null,
  );

async function UnreadBell({ unread }: { unread: ReturnType<typeof countUnread> }) {
  const count = await unread;
  return count === null ? null : <NotificationBell unread={count} />;
}

function useQuickExitLabel(actor: Actor): string | undefined {
  const t = useTranslator("quickExit");
  return isReporterOnly(actor) ? t("leave") : undefined;
}

/** Hides Organizations from people who only report; their list would be empty. */
function listNavItems(actor: Actor) {
  const t = useTranslator("jump");
  const incidents = { label: t(isOnAnyTeamOrSystemAdmin(actor) ? "inbox" : "ownReports"), href: "/inbox" };
  const organizations = { label: t("organizations"), href: "/orgs" };
  const system = { label: t("system"), href: "/system" };
  const outsideIncidents = actor.outsideIncidents?.length
    ? [{ label: t("outsideIncidents"), href: "/outside-incidents" }]
    : [];
  if (isSystemAdmin(actor)) return [incidents, ...outsideIncidents, organizations, system];
  if (actor.organizations.length === 0) return [incidents];
  // A person with no events, who only sees an organization's figures, has no incidents to list.
  return [...(actor.events.length > 0 ? [incidents] : []), ...outsideIncidents, organizations];
}
