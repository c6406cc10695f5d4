import { Menu as MenuIcon } from "lucide-react";
import type { ReactNode } from "react";
import { NotificationBell } from "#components/notification/notification-bell.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { Footer } from "./footer.tsx";
import { Wordmark } from "./mark.tsx";
import { type NavItem, NavLink } from "./nav-link.tsx";
import { SkipLink } from "./skip-link.tsx";

export type FrameUser = { name: string; email: string; avatarUrl?: string | null };

type Props = {
  /** Where the wordmark leads. */
  home?: string;
  /** What this person may open; roles decide it, so it is given. */
  nav: readonly NavItem[];
  user: FrameUser;
  /** How many notifications are unread; null for who has none to look at. */
  unread?: number | null;
  /** Under the name in the user's menu: links to the account, and the form that signs out. */
  userMenu: ReactNode;
  children: ReactNode;
};

/** The frame of the signed-in pages: wordmark, where to go, who one is, and the content. */
export function AppFrame({ home = "/", nav, user, unread = null, userMenu, children }: Props) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <header className="no-print border-b border-line bg-surface">
        <div className="mx-auto flex min-h-16 w-full max-w-[82rem] items-stretch gap-x-6 px-4 sm:px-6">
          <Link
            href={home}
            aria-label="Heed, home"
            className="inline-flex min-h-11 items-center self-center rounded-control"
          >
            <Wordmark />
          </Link>
          <nav aria-label="Main" className="hidden grow md:block">
            <ul className="flex h-full gap-1">
              {nav.map((item) => (
                <li key={item.href}>
                  <NavLink {...item} look="bar" />
                </li>
              ))}
            </ul>
          </nav>
          <div className="ms-auto flex items-center gap-1">
            {unread !== null && <NotificationBell unread={unread} />}
            <UserMenu user={user}>{userMenu}</UserMenu>
            <SmallNav items={nav} />
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
      <Footer wide />
    </div>
  );
}

function UserMenu({ user, children }: { user: FrameUser; children: ReactNode }) {
  return (
    <Menu
      triggerClass={buttonClass("quiet", "px-2 !text-ink")}
      trigger={
        <>
          <Avatar name={user.name} src={user.avatarUrl} size="small" decorative />
          <span className="sr-only max-w-40 truncate lg:not-sr-only">{user.name}</span>
        </>
      }
    >
      <div className="mb-1 border-b border-line px-3 pt-1 pb-3">
        <p className="font-[650]">{user.name}</p>
        <p className="text-sm break-all text-muted">{user.email}</p>
      </div>
      {children}
    </Menu>
  );
}

function SmallNav({ items }: { items: readonly NavItem[] }) {
  if (items.length === 0) return null;
  return (
    <Menu
      className="md:hidden"
      triggerClass={buttonClass("secondary", "px-3")}
      trigger={
        <>
          <Icon as={MenuIcon} />
          <span className="max-[22rem]:sr-only">Menu</span>
        </>
      }
    >
      <nav aria-label="Main">
        <ul>
          {items.map((item) => (
            <li key={item.href}>
              <NavLink {...item} look="list" />
            </li>
          ))}
        </ul>
      </nav>
    </Menu>
  );
}
