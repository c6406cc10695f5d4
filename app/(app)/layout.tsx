import { LogOut } from "lucide-react";
import type { ReactNode } from "react";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import { homeOf } from "#lib/api/next-path.ts";
import { mustBeSignedIn } from "#lib/api/page.ts";
import type { Actor } from "#lib/policy.ts";
import { signOutAction } from "../(account)/actions.ts";

/** The frame of the signed-in pages. Each page still asks for its own right. */
export default page(async function AppLayout({ children }: { children: ReactNode }) {
  const actor = await mustBeSignedIn();
  return (
    <AppFrame home={homeOf(actor)} nav={navOf(actor)} user={actor} userMenu={<SignOut />}>
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

function SignOut() {
  return (
    <form action={signOutAction}>
      <button type="submit" className={menuItemClass}>
        <Icon as={LogOut} /> Sign out
      </button>
    </form>
  );
}
