"use client";

import { Eye, PenLine } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useNews } from "#components/live/use-news.ts";
import { Avatar } from "#components/ui/avatar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useWords } from "#words";

type Doing = "reading" | "writing";
type Other = { doing: Doing; until: number };

type Props = {
  slug: string;
  incidentId: string;
  /** The team by name; somebody else who may be here has none. */
  people: readonly { id: string; name: string }[];
};

/** As often is said that one is still here; whoever hasn't said so for `PRESENT_MS` is gone. */
const AGAIN_MS = 20_000;
const PRESENT_MS = 45_000;
/** Who only passes by on the way to the next report is not told of. */
const ARRIVED_MS = 500;
/** So long after the last letter, somebody is still writing. */
const WRITING_MS = 10_000;
const TICK_MS = 5_000;

/** Who else of the team reads or writes here now. Says to them what one does oneself, while the page is looked at. */
export function PresentHere({ slug, incidentId, people }: Props) {
  const t = useWords("caseTeam");
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

function usePresence(path: string, incidentId: string): [string, Doing][] {
  const [others, setOthers] = useState<ReadonlyMap<string, Other>>(new Map());
  const wroteAt = useRef(0);
  const said = useRef<Doing>("reading");

  const say = useEffectEvent(async (doing: Doing | "gone") => {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ doing }),
      keepalive: true,
    }).catch(() => undefined);
    if (doing === "gone" || !answer?.ok) return;
    said.current = doing;
    const { present } = (await answer.json()) as { present: { personId: string; doing: Doing }[] };
    setOthers(
      new Map(present.map((one) => [one.personId, { doing: one.doing, until: Date.now() + PRESENT_MS }])),
    );
  });
  const doingNow = () => (Date.now() - wroteAt.current < WRITING_MS ? "writing" : "reading");

  useNews((news) => {
    if (news.type !== "presence" || news.incidentId !== incidentId) return;
    const { personId, doing } = news;
    setOthers((known) => {
      const rest = [...known].filter(([id]) => id !== personId);
      return new Map(
        doing === "gone" ? rest : [...rest, [personId, { doing, until: Date.now() + PRESENT_MS }]],
      );
    });
  });

  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const shown = () => document.visibilityState === "visible";
    const again = setInterval(() => shown() && void say(doingNow()), AGAIN_MS);
    const ticking = setInterval(() => {
      if (said.current === "writing" && doingNow() === "reading" && shown()) void say("reading");
      setOthers((known) => stillHere(known));
    }, TICK_MS);
    document.addEventListener("visibilitychange", () => void say(shown() ? doingNow() : "gone"), { signal });
    window.addEventListener("pagehide", () => void say("gone"), { signal });
    document.addEventListener(
      "input",
      ({ target }) => {
        if (!(target instanceof HTMLTextAreaElement)) return;
        wroteAt.current = Date.now();
        if (said.current === "reading") {
          said.current = "writing";
          void say("writing");
        }
      },
      { signal },
    );
    const arrived = setTimeout(() => shown() && void say(doingNow()), ARRIVED_MS);
    return () => {
      over.abort();
      clearTimeout(arrived);
      clearInterval(again);
      clearInterval(ticking);
      void say("gone");
    };
  }, []);

  return [...others].map(([personId, { doing }]) => [personId, doing]);
}

/** The same where nobody has gone, so that nothing is drawn again. */
function stillHere(known: ReadonlyMap<string, Other>): ReadonlyMap<string, Other> {
  const here = [...known].filter(([, { until }]) => until > Date.now());
  return here.length === known.size ? known : new Map(here);
}
