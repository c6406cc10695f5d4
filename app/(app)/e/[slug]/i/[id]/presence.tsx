"use client";

import { Eye, PenLine } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLiveEvents } from "#components/live/use-news.ts";
import { Avatar } from "#components/ui/avatar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useTranslator } from "#words";

type PresenceActivity = "reading" | "writing";
type PresentPerson = { doing: PresenceActivity; until: number };

type Props = {
  slug: string;
  incidentId: string;
  /** Team members with names; other people who may be present have none. */
  people: readonly { id: string; name: string }[];
};

/** How often presence is sent. A person who sends nothing for `PRESENCE_TIMEOUT_MS` counts as gone. */
const HEARTBEAT_MS = 20_000;
const PRESENCE_TIMEOUT_MS = 45_000;
/** Presence is announced only after this delay, so that paging through incidents isn't reported. */
const ARRIVAL_DELAY_MS = 500;
/** A person counts as writing for this long after the last keystroke. */
const WRITING_TIMEOUT_MS = 10_000;
const UPDATE_INTERVAL_MS = 5_000;

/**
 * Shows which team members are reading or writing here, and announces the viewer's own presence while the
 * page is visible.
 */
export function PresenceIndicator({ slug, incidentId, people }: Props) {
  const t = useTranslator("caseTeam");
  const others = usePresence(`/api/events/slug/${slug}/incidents/${incidentId}/presence`, incidentId);
  return (
    <ul
      aria-label={t("presence.others")}
      className="no-print ms-auto flex min-w-0 items-center gap-3 text-sm text-muted"
    >
      {others.map(([personId, doing]) => {
        const name = people.find(({ id }) => id === personId)?.name ?? t("presence.somebody");
        const does = t(`presence.${doing}`, { name });
        return (
          <li key={personId} title={does} className="flex min-h-11 min-w-0 items-center gap-1.5">
            <Avatar name={name} size="small" decorative />
            <Icon as={doing === "writing" ? PenLine : Eye} size={16} />
            <span className="min-w-0 truncate max-sm:sr-only">{does}</span>
          </li>
        );
      })}
    </ul>
  );
}

function usePresence(path: string, incidentId: string): [string, PresenceActivity][] {
  const [others, setOthers] = useState<ReadonlyMap<string, PresentPerson>>(new Map());
  const wroteAt = useRef(0);
  const lastSent = useRef<PresenceActivity>("reading");

  const sendPresence = useEffectEvent(async (doing: PresenceActivity | "gone") => {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ doing }),
      keepalive: true,
    }).catch(() => undefined);
    if (doing === "gone" || !answer?.ok) return;
    lastSent.current = doing;
    const { present } = (await answer.json()) as { present: { personId: string; doing: PresenceActivity }[] };
    setOthers(
      new Map(
        present.map((one) => [one.personId, { doing: one.doing, until: Date.now() + PRESENCE_TIMEOUT_MS }]),
      ),
    );
  });
  const getActivity = () => (Date.now() - wroteAt.current < WRITING_TIMEOUT_MS ? "writing" : "reading");

  useLiveEvents((news) => {
    if (news.type !== "presence" || news.incidentId !== incidentId) return;
    const { personId, doing } = news;
    setOthers((known) => {
      const rest = [...known].filter(([id]) => id !== personId);
      return new Map(
        doing === "gone" ? rest : [...rest, [personId, { doing, until: Date.now() + PRESENCE_TIMEOUT_MS }]],
      );
    });
  });

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const isPageVisible = () => document.visibilityState === "visible";
    const heartbeat = setInterval(() => isPageVisible() && void sendPresence(getActivity()), HEARTBEAT_MS);
    const ticking = setInterval(() => {
      if (lastSent.current === "writing" && getActivity() === "reading" && isPageVisible())
        void sendPresence("reading");
      setOthers((known) => removeTimedOut(known));
    }, UPDATE_INTERVAL_MS);
    document.addEventListener(
      "visibilitychange",
      () => void sendPresence(isPageVisible() ? getActivity() : "gone"),
      { signal },
    );
    window.addEventListener("pagehide", () => void sendPresence("gone"), { signal });
    document.addEventListener(
      "input",
      ({ target }) => {
        if (!(target instanceof HTMLTextAreaElement)) return;
        wroteAt.current = Date.now();
        if (lastSent.current === "reading") {
          lastSent.current = "writing";
          void sendPresence("writing");
        }
      },
      { signal },
    );
    const arrived = setTimeout(() => isPageVisible() && void sendPresence(getActivity()), ARRIVAL_DELAY_MS);
    return () => {
      controller.abort();
      clearTimeout(arrived);
      clearInterval(heartbeat);
      clearInterval(ticking);
      void sendPresence("gone");
    };
  }, []);

  return [...others].map(([personId, { doing }]) => [personId, doing]);
}

/** Returns the same map if nobody timed out, so that React doesn't render again. */
function removeTimedOut(known: ReadonlyMap<string, PresentPerson>): ReadonlyMap<string, PresentPerson> {
  const stillPresent = [...known].filter(([, { until }]) => until > Date.now());
  return stillPresent.length === known.size ? known : new Map(stillPresent);
}
