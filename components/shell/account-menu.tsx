"use client";

import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import { useTranslator } from "#i18n";
import { deleteDraftsOfTab } from "#components/incident/traces.ts";
import { SIGNED_OUT_ACCOUNT_ID, broadcastSignedInAccount } from "./signed-in-account.ts";

type Props = { /** A server action. */ signOut: (form: FormData) => Promise<void> };

/**
 * The current user's account links, in the menu under their name. A client component for the same reason as
 * `AppFrameLayout`.
 */
export function AccountMenu({ signOut }: Props) {
  const t = useTranslator("frame");
  return (
    <>
      <Link href="/account" className={MENU_ITEM_CLASS}>
        <Icon as="circle-user" /> {t("nav.account")}
      </Link>
      <Link href="/account/security" className={MENU_ITEM_CLASS}>
        <Icon as="shield-check" /> {t("nav.security")}
      </Link>
      <Link href="/notifications/settings" className={MENU_ITEM_CLASS}>
        <Icon as="bell" /> {t("nav.notifications")}
      </Link>
      <form
        action={signOut}
        onSubmit={() => {
          deleteDraftsOfTab();
          broadcastSignedInAccount(SIGNED_OUT_ACCOUNT_ID);
        }}
      >
        <button type="submit" className={MENU_ITEM_CLASS}>
          <Icon as="log-out" className="rtl:-scale-x-100" /> {t("nav.signOut")}
        </button>
      </form>
    </>
  );
}
