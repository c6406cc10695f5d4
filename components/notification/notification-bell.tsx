import { Bell } from "lucide-react";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

/** The way to one's notifications, with how many are unread. */
export function NotificationBell({ unread }: { unread: number }) {
  return (
    <Link
      href="/notifications"
      aria-label={unread > 0 ? `Notifications, ${unread} unread` : "Notifications"}
      className={buttonClass("quiet", "relative w-11 px-0 !text-ink")}
    >
      <Icon as={Bell} />
      {unread > 0 && (
        <span className="absolute end-0 top-0.5 min-w-5 rounded-full bg-accent px-1 text-center text-xs leading-5 font-[650] text-accent-ink tabular-nums">
          {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
        </span>
      )}
    </Link>
  );
}

const MOST_SHOWN = 99;
