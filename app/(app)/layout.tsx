import type { ReactNode } from "react";
import { useWords } from "#words";
import { UnverifiedNotice } from "#components/account/unverified-notice.tsx";
import { usePagesFor } from "#components/jump/pages.ts";
import { QuickJump } from "#components/jump/quick-jump.tsx";
import { LiveBell } from "#components/notification/live-bell.tsx";
import { AccountMenu } from "#components/shell/account-menu.tsx";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { SignedOutCover } from "#components/shell/signed-out-cover.tsx";
import { ClientWords } from "#components/words/client-words.tsx";
import { homeOf } from "#lib/http/next-path.ts";
import { mustBeSignedIn, showIfThere } from "#lib/http/page.ts";
import { countNotifications } from "#lib/notifications/operations.ts";
import { type Actor, answersReports, onlyReports } from "#lib/operation/policy.ts";
import { signOutAction } from "../(account)/actions.ts";

/** The frame of the signed-in pages. Each page still asks for its own right. */
export default page(async function AppLayout({ children }: { children: ReactNode }) {
  const actor = await mustBeSignedIn();
  const unread = countUnread();
  return (
    <ClientWords of={["ui", "failure", "offline"]}>
      <AppFrame
        home={homeOf(actor)}
        nav={navOf(actor)}
        user={actor}
        bell={
          <>
            <Bell unread={unread} />
            <SignedOutCover account={actor.id} leave={useLeave(actor)} />
          </>
        }
        tools={
          <ClientWords of={["jump"]}>
            <QuickJump pages={usePagesFor(actor)} />
          </ClientWords>
        }
        userMenu={<AccountMenu signOut={signOutAction} />}
      >
        {actor.unverified && <UnverifiedNotice email={actor.email} besideExit={onlyReports(actor)} />}
        {children}
      </AppFrame>
    </ClientWords>
  );
}, NarrowFrame);

/**
 * Asked for before the frame is made, and not waited for. What the page's door would have to catch, a part must not
 * throw; and a page without its number is better than none.
 */
const countUnread = () =>
  showIfThere(countNotifications).then(
    (found) => found && found.unread,
    () => null,
  );

async function Bell({ unread }: { unread: ReturnType<typeof countUnread> }) {
  const count = await unread;
  return count === null ? null : <LiveBell unread={count} />;
}

function useLeave(actor: Actor): string | undefined {
  const t = useWords("quickExit");
  return onlyReports(actor) ? t("leave") : undefined;
}

/** Organizations are for their members; who only reports has no use for an empty list of them. */
function navOf(actor: Actor) {
  const t = useWords("jump");
  const incidents = { label: t(answersReports(actor) ? "inbox" : "ownReports"), href: "/inbox" };
  const organizations = { label: t("organizations"), href: "/orgs" };
  const system = { label: t("system"), href: "/system" };
  if (actor.systemAdmin) return [incidents, organizations, system];
  if (actor.organizations.length === 0) return [incidents];
  // Who only looks at an organization's numbers finds no report there.
  return actor.events.length > 0 ? [incidents, organizations] : [organizations];
}
