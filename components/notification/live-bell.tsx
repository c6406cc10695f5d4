"use client";

import { Bell } from "lucide-react";
import { useState } from "react";
import { useWords } from "#words";
import { useNews } from "#components/live/use-news.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

/** Counts on while the page stays open. `unread` is the number when the page was made. */
export function LiveBell({ unread }: { unread: number }) {
  const t = useWords("live");
  const [heard, setHeard] = useState({ since: unread, unread });
  // A page that was made anew knows better than what was heard before.
  if (heard.since !== unread) setHeard({ since: unread, unread });
  useNews((news) => {
    if (news.type === "notification") setHeard({ since: unread, unread: news.unread });
  });
  const shown = heard.since === unread ? heard.unread : unread;
  return (
    <Link
      href="/notifications"
      aria-label={t("bell", { unread: shown })}
      className={buttonClass("quiet", "relative w-11 px-0 !text-ink")}
    >
      <Icon as={Bell} />
      {shown > 0 && (
        <span className="absolute end-0 top-0.5 min-w-5 rounded-full bg-accent px-1 text-center text-xs leading-5 font-[650] text-accent-ink tabular-nums">
          {shown > MOST_SHOWN ? `${MOST_SHOWN}+` : shown}
        </span>
      )}
    </Link>
  );
}

const MOST_SHOWN = 99;
