import { Bell, CircleUser, LogOut, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import { homeOf } from "#lib/api/next-path.ts";
import { mustBeSignedIn, showIfThere } from "#lib/api/page.ts";
import { countNotifications } from "#lib/notifications/operations.ts";
import type { Actor } from "#lib/policy.ts";
import { signOutAction } from "../(account)/actions.ts";

/** The frame of the signed-in pages. Each page still asks for its own right. */
export default page(async function AppLayout({ children }: { children: ReactNode }) {
  const actor = await mustBeSignedIn();
  const notifications = await showIfThere(countNotifications);
  return (
    <AppFrame
      home={homeOf(actor)}
      nav={navOf(actor)}
      user={actor}
      unread={notifications?.unread}
      userMenu={<AccountMenu />}
    >
      {children}
    </AppFrame>
  );
}, NarrowFrame);

/** Organizations are for their members; who only reports has no use for an empty list of them. */
function navOf(actor: Actor) {
  const incidents = { label: "Incidents", href: "/inbox" };
  const organizations = { label: "Organizations", href: "/orgs" };
  return actor.systemAdmin || actor.organizations.length > 0 ? [incidents, organizations] : [incidents];
}

function AccountMenu() {
  return (
    <>
      <Link href="/account" className={menuItemClass}>
        <Icon as={CircleUser} /> Your account
      </Link>
      <Link href="/account/security" className={menuItemClass}>
        <Icon as={ShieldCheck} /> Security
      </Link>
      <Link href="/notifications/settings" className={menuItemClass}>
        <Icon as={Bell} /> What you are told of
      </Link>
      <form action={signOutAction}>
        <button type="submit" className={menuItemClass}>
          <Icon as={LogOut} /> Sign out
        </button>
      </form>
    </>
  );
}
