"use client";

import type { ReactNode } from "react";
import clsx from "clsx";
import { usePathname } from "next/navigation";
import { useTranslator } from "#i18n";
import { Avatar } from "#components/ui/avatar.tsx";
import { buildButtonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { Footer } from "./footer.tsx";
import { focusContent } from "./content-focus.ts";
import { LogoWithName } from "./logo.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import { publishOfflineNoticeHeight } from "./offline-notice-height.ts";
import { SkipLink } from "./skip-link.tsx";

type FrameUser = { name: string; email: string; avatarUrl?: string | null };

export type AppFrameProps = {
  /** Where the logo links to. */
  home?: string;
  /** Pages that the current user may open. Passed in, because they depend on roles. */
  nav: readonly NavLinkData[];
  user: FrameUser;
  /** The number of unread notifications: `NotificationBell`. */
  bell?: ReactNode;
  /** The quick jump, before the unread count. */
  tools?: ReactNode;
  /** Account links and the sign-out form, in the menu under the user's name. */
  userMenu: ReactNode;
  children: ReactNode;
};

/**
 * The content of `AppFrame`. A client component, so that React's data in the page holds only its props; for a server
 * component, the data would repeat every element of the HTML.
 */
export function AppFrameLayout({ home = "/", nav, user, bell, tools, userMenu, children }: AppFrameProps) {
  const t = useTranslator("frame");
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink onClick={focusContent} />
      <OfflineNotice ref={publishOfflineNoticeHeight} />
      <header className="no-print border-b border-line bg-surface">
        <div className="mx-auto flex min-h-16 w-full max-w-[82rem] items-stretch gap-x-2 px-4 max-md:flex-wrap md:gap-x-6 sm:px-6">
          <Link
            href={home}
            aria-label={t("home")}
            className="inline-flex min-h-11 items-center self-center rounded-control"
          >
            <LogoWithName nameClass="max-[22rem]:sr-only" />
          </Link>
          <MainNav items={nav} />
          <div className="relative ms-auto flex items-center gap-1 max-md:flex-wrap max-md:justify-end">
            {tools}
            {bell}
            <UserMenu user={user}>{userMenu}</UserMenu>
            <CompactNav items={nav} />
          </div>
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-[82rem] grow px-4 pt-6 pb-16 outline-none sm:px-6 sm:pt-8"
      >
        {children}
      </main>
      <Footer column="max-w-[82rem]" start={<p>{t("tagline")}</p>} />
    </div>
  );
}

function MainNav({ items }: { items: readonly NavLinkData[] }) {
  const t = useTranslator("frame");
  return (
    <nav aria-label={t("main")} className="hidden grow md:block">
      <ul className="flex h-full gap-1">
        {items.map((item) => (
          <li key={item.href}>
            <NavLink {...item} variant="bar" />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function UserMenu({ user, children }: { user: FrameUser; children: ReactNode }) {
  return (
    // On a phone the list aligns with the edge of the page instead of its button, so that it isn't cut off.
    <Menu
      className="max-md:static"
      triggerClass={buildButtonClass("quiet", "px-2 !text-ink")}
      trigger={
        <>
          <Avatar name={user.name} src={user.avatarUrl} size="small" />
          <span className="sr-only lg:not-sr-only">
            <span dir="auto" className="block max-w-40 truncate">
              {user.name}
            </span>
          </span>
        </>
      }
    >
      <div className="mb-1 border-b border-line px-3 pt-1 pb-3">
        <p dir="auto" className="max-w-64 font-[650] wrap-anywhere">
          {user.name}
        </p>
        <p className="text-sm wrap-anywhere text-muted">{user.email}</p>
      </div>
      {children}
    </Menu>
  );
}

function CompactNav({ items }: { items: readonly NavLinkData[] }) {
  const t = useTranslator("frame");
  if (items.length === 0) return null;
  return (
    <Menu
      className="md:hidden"
      triggerClass={buildButtonClass("secondary", "px-3")}
      trigger={
        <>
          <Icon as="menu" />
          <span className="max-[26rem]:sr-only">{t("menu")}</span>
        </>
      }
    >
      <nav aria-label={t("main")}>
        <ul>
          {items.map((item) => (
            <li key={item.href}>
              <NavLink {...item} variant="list" />
            </li>
          ))}
        </ul>
      </nav>
    </Menu>
  );
}

type NavLinkData = { label: string; href: string };

type Props = NavLinkData & { variant: "bar" | "list" };

/** A main navigation link, marked as current on its page and those below. */
function NavLink({ label, href, variant }: Props) {
  const path = usePathname() ?? "";
  const isCurrent = path === href;
  const isWithin = isCurrent || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      aria-current={isCurrent ? "page" : isWithin ? "true" : undefined}
      className={clsx(LINK_STYLES[variant], isWithin ? CURRENT_STYLES[variant] : OTHER_STYLES[variant])}
    >
      {label}
    </Link>
  );
}

const LINK_STYLES = {
  bar: "inline-flex h-full min-h-11 items-center border-y-[3px] border-t-transparent px-3",
  list: "flex min-h-11 items-center rounded-control px-3",
};

const CURRENT_STYLES = {
  bar: "border-b-accent font-[650] text-ink",
  list: "bg-accent-soft font-[650] text-accent-hover",
};

const OTHER_STYLES = {
  bar: "border-b-transparent text-muted hover:border-b-edge hover:text-ink",
  list: "hover:bg-sunken",
};
