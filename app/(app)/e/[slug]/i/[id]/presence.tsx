"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";
import { Avatar } from "#components/ui/avatar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useTranslator } from "#i18n";
import { type PresenceActivity, type PresenceReport, startSendingPresence } from "./sending-presence.ts";

type PresenceEntry = { doing: PresenceActivity; until: number };

type Props = {
  slug: string;
  incidentId: string;
  /** Team members with names; other people who may be present have none. */
  people: readonly { id: string; name: string }[];
};

/** A person whose presence isn't reported for this long counts as gone. */
const PRESENCE_TIMEOUT_MS = 45_000;
const TIMEOUT_CHECK_MS = 5_000;

/**
 * Delay before the page reloads because its incident is gone (404). A person who has just stepped out is
 * redirected to the inbox by then.
 */
const REDIRECT_WAIT_MS = 5_000;

function reloadIfOpen(incidentId: string): void {
  if (location.pathname.includes(incidentId)) reloadWithoutPrompt();
}

/**
 * Shows which team members are reading or writing here, and announces the viewer's own presence while the
 * page is visible.
 */
export function TeamPresenceAnnouncerAndList({ slug, incidentId, people }: Props) {
  const t = useTranslator("incidentTeam");
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
            <Avatar name={name} size="small" />
            <Icon as={doing === "writing" ? "pen-line" : "eye"} size={16} />
            <span className="min-w-0 truncate max-sm:sr-only">{does}</span>
          </li>
        );
      })}
    </ul>
  );
}

type People = ReadonlyMap<string, PresenceEntry>;

function usePresence(path: string, incidentId: string): [string, PresenceActivity][] {
  const [others, setOthers] = useState<People>(new Map());
  const newsCount = useRef(0);

  const sendPresence = useEffectEvent(async (report: PresenceReport) => {
    const newsCountBefore = newsCount.current;
    const response = await postPresence(path, report);
    // The incident was hidden from this person, or deleted. No live event may reveal that, so the page notices it here.
    if (response?.status === 404) setTimeout(reloadIfOpen, REDIRECT_WAIT_MS, incidentId);
    if (report.doing !== "gone" && response?.ok) {
      const present = await readPresentPeople(response);
      // News that came meanwhile may be newer than the list of the response.
      if (newsCount.current === newsCountBefore) setOthers(present);
    }
    return response?.ok ?? false;
  });

  useLiveUpdates((news) => {
    if (news.type !== "presence" || news.incidentId !== incidentId) return;
    newsCount.current += 1;
    setOthers((known) => withActivity(known, news.personId, news.doing));
  });

  useEffect(() => {
    const stopSending = startSendingPresence((report) => sendPresence(report));
    const ticking = setInterval(() => setOthers((known) => removeTimedOut(known)), TIMEOUT_CHECK_MS);
    return () => {
      clearInterval(ticking);
      stopSending();
    };
  }, []);

  return [...others].map(([personId, { doing }]) => [personId, doing]);
}

/** Reports presence, with a request that outlives the page; returns undefined if the service can't be reached. */
const postPresence = (path: string, report: PresenceReport): Promise<Response | undefined> =>
  fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(report),
    keepalive: true,
  }).catch(() => undefined);

async function readPresentPeople(response: Response): Promise<People> {
  const { present } = (await response.json()) as { present: { personId: string; doing: PresenceActivity }[] };
  return new Map(present.map(({ personId, doing }) => [personId, startPresence(doing)]));
}

function withActivity(known: People, personId: string, doing: PresenceActivity | "gone"): People {
  const rest = [...known].filter(([id]) => id !== personId);
  return new Map(doing === "gone" ? rest : [...rest, [personId, startPresence(doing)]]);
}

const startPresence = (doing: PresenceActivity): PresenceEntry => ({
  doing,
  until: Date.now() + PRESENCE_TIMEOUT_MS,
});

/** Returns the same map if nobody timed out, so that React doesn't render again. */
function removeTimedOut(known: People): People {
  const stillPresent = [...known].filter(([, { until }]) => until > Date.now());
  return stillPresent.length === known.size ? known : new Map(stillPresent);
}
