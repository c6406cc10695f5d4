"use client";

import { Bell, CircleUser, LogOut, ShieldCheck } from "lucide-react";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { buildMenuItemClass } from "#components/ui/menu-item.ts";
import { useTranslator } from "#i18n";
import { NO_ACCOUNT, broadcastAccount } from "./signed-in-account.ts";

type Props = { /** A server action. */ signOut: (form: FormData) => Promise<void> };

/**
 * The current user's account links, in the menu under their name. A client component for the same reason as
 * `FrameLayout`.
 */
export function AccountMenu({ signOut }: Props) {
  const t = useTranslator("shell");
  return (
    <>
      <Link href="/account" className={buildMenuItemClass}>
        <Icon as={CircleUser} /> {t("nav.account")}
      </Link>
      <Link href="/account/security" className={buildMenuItemClass}>
        <Icon as={ShieldCheck} /> {t("nav.security")}
      </Link>
      <Link href="/notifications/settings" className={buildMenuItemClass}>
        <Icon as={Bell} /> {t("nav.notifications")}
      </Link>
      <form action={signOut} onSubmit={() => broadcastAccount(NO_ACCOUNT)}>
        <button type="submit" className={buildMenuItemClass}>
          <Icon as={LogOut} className="rtl:-scale-x-100" /> {t("nav.signOut")}
        </button>
      </form>
    </>
  );
}
