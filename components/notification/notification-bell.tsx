"use client";

import { useState } from "react";
import { useTranslator } from "#i18n";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { buildButtonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

/**
 * The link to the notifications with the number of unread ones, kept current by live events. `unread` is the number
 * when the page was rendered.
 */
export function NotificationBell({ unread }: { unread: number }) {
  const t = useTranslator("live");
  const [lastCount, setLastCount] = useState({ since: unread, unread });
  // The count of a newly rendered page replaces what events reported before.
  if (lastCount.since !== unread) setLastCount({ since: unread, unread });
  useLiveUpdates((news) => {
    if (news.type === "notification") setLastCount({ since: unread, unread: news.unread });
  });
  const shownCount = lastCount.since === unread ? lastCount.unread : unread;
  return (
    <Link
      href="/notifications"
      aria-label={t("notifications", { unread: shownCount })}
      className={buildButtonClass("quiet", "relative w-11 px-0 !text-ink")}
    >
      <Icon as="bell" />
      {shownCount > 0 && (
        <span className="absolute end-0 top-0.5 min-w-5 rounded-full bg-accent px-1 text-center text-xs leading-5 font-[650] text-accent-ink tabular-nums">
          {shownCount > MAX_SHOWN_COUNT ? `${MAX_SHOWN_COUNT}+` : shownCount}
        </span>
      )}
    </Link>
  );
}

const MAX_SHOWN_COUNT = 99;
