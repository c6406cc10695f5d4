import clsx from "clsx";
import { buttonClass } from "#components/ui/button.tsx";
import type { Summary } from "#lib/triage/schema.ts";
import { MOST_COUNTED, MOST_EVENTS } from "#lib/triage/schema.ts";
import type { Words } from "#components/words/words.ts";
import { hrefWith } from "#lib/design/query.ts";
import { useWords } from "#words";
import { removeViewAction } from "./actions.ts";
import icons from "./desk-icons.module.css";
import { Place, type PlaceFacts, Places } from "./places.tsx";
import looks from "./rail.module.css";
import { asksFor, filtersIn, only, openIn, type View, VIEWS, type ViewName } from "./view.ts";

type SavedView = { id: string; name: string; query: string };

type Props = {
  path: string;
  view: View;
  summary: Summary;
  saved: readonly SavedView[];
  /** The path and query of this page, to come back to. */
  here: string;
  /** One event's list leads to the others; the list across events leads into each. */
  single: boolean;
};

/** Opens the rail where it is a sheet. It stands in the head of the page, in one line with what orders the list. */
export function ViewsButton() {
  const t = useWords("inbox");
  return (
    <button
      type="button"
      popoverTarget="views"
      className={clsx(
        buttonClass("secondary", "rtl:before:-scale-x-100 min-[56.25rem]:hidden"),
        looks.button,
        icons.views,
      )}
    >
      {t("views")}
    </button>
  );
}

/** Views with their numbers, the saved ones, and the events; a sheet on narrow screens. */
export function Rail(props: Props) {
  const t = useWords("inbox");
  const ui = useWords("ui");
  return (
    <nav id="views" popover="auto" aria-label={t("views")} className={SHEET}>
      <button
        type="button"
        popoverTarget="views"
        popoverTargetAction="hide"
        className={clsx(
          buttonClass("quiet", "justify-self-start min-[56.25rem]:hidden"),
          looks.button,
          icons.clear,
        )}
      >
        {ui("close")}
      </button>
      <Views {...props} />
      {props.saved.length > 0 && <Saved {...props} />}
      {(props.single || props.summary.events.length > 1) && <Events {...props} />}
    </nav>
  );
}

/** A popover where there is little room; part of the page where there is enough. */
const SHEET = clsx(
  "no-print inset-y-0 start-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] content-start gap-5 overflow-y-auto border-e border-line bg-surface p-4 text-ink",
  "grid-cols-[minmax(0,1fr)] open:grid min-[56.25rem]:static min-[56.25rem]:grid min-[56.25rem]:h-auto min-[56.25rem]:w-auto min-[56.25rem]:border-0 min-[56.25rem]:bg-transparent min-[56.25rem]:p-0",
);

function Views({ path, view, summary }: Props) {
  const t = useWords("inbox");
  const counts = countsOf(summary);
  return (
    <Places
      places={textOf(
        VIEWS.map(({ name, filters, key }) => ({
          href: only(path, view, filters),
          icon: `view-${name}`,
          label: t(`view.${name}`),
          count:
            BOUNDED.has(name) && counts[name] >= MOST_COUNTED
              ? t("orMore", { count: MOST_COUNTED - 1 })
              : t("number", { count: counts[name] }),
          current: asksFor(view, filters),
          goKey: key,
        })),
      )}
    />
  );
}

/** Of these, only so many are counted. */
const BOUNDED = new Set<ViewName>(["mine", "answer", "overdue", "waiting"]);

function countsOf(summary: Summary) {
  const { byState, open, openMine, openUnassigned, openEscalated, openAwaiting, pinned } = summary;
  const closed = byState.resolved + byState.closed;
  return {
    all: open + closed,
    first: byState.submitted,
    mine: openMine,
    unassigned: openUnassigned,
    answer: openAwaiting.team,
    overdue: summary.openOverdue,
    waiting: openAwaiting.reporter,
    escalated: openEscalated,
    open,
    pinned,
    closed,
  } satisfies Record<ViewName, number>;
}

function Saved({ path, view, saved, here }: Props) {
  const t = useWords("inbox");
  return (
    <Part title={t("saved")}>
      <ul className={looks.places}>
        {saved.map(({ id, name, query }) => (
          <li key={id} className="group/saved flex items-center">
            <Place
              href={only("/inbox", filtersIn(query), filtersIn(query))}
              icon="saved"
              label={name}
              current={path === "/inbox" && asksFor(view, filtersIn(query))}
            />
            <form action={removeViewAction}>
              <input type="hidden" name="viewId" value={id} />
              <input type="hidden" name="path" value={here} />
              <button
                type="submit"
                aria-label={t("removeView", { name })}
                title={t("removeView", { name })}
                className={clsx(buttonClass("quiet", "w-11 px-0 !text-muted"), icons.clear)}
              />
            </form>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** So many events are named; the filter has all of them. */
const MOST_NAMED = 12;

function Events(props: Props) {
  const t = useWords("inbox");
  const everything: PlaceFacts = { href: "/inbox", icon: "event", label: t("allEvents"), current: false };
  return (
    <Part title={t("events")}>
      <Places places={textOf(props.single ? [everything] : placesOfEvents(props, t))} />
    </Part>
  );
}

/**
 * The first by name, the one that the list is of among them, and the way to the others. Each leads to what is open there,
 * which is what its number counts.
 */
function placesOfEvents({ path, view, summary: { events } }: Props, t: Words<"inbox">): PlaceFacts[] {
  const isCurrent = ({ slug }: { slug: string }) =>
    asksFor(view, openIn(slug)) || asksFor(view, { event: slug });
  const current = events.findIndex(isCurrent);
  const few = events.length > MOST_NAMED + 1;
  const named = few ? events.filter((_, at) => at < MOST_NAMED || at === current) : events;
  const places = named.map(({ name, slug, open }): PlaceFacts => ({
    href: only(path, view, openIn(slug)),
    icon: "event",
    label: name,
    count: t("number", { count: open }),
    current: isCurrent({ slug }),
  }));
  return few ? [...places, allOf({ path, view, events: events.length }, t)] : places;
}

function allOf(
  { path, view, events }: { path: string; view: View; events: number },
  t: Words<"inbox">,
): PlaceFacts {
  return {
    href: hrefWith(path, view, { page: null, choose: "event" }),
    icon: "open",
    label: events < MOST_EVENTS ? t("everyEvent", { count: events }) : t("moreEvents"),
    current: false,
    choose: "event",
  };
}

/** As text, for `Places`. */
const textOf = (places: readonly PlaceFacts[]): string => JSON.stringify(places);

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h2 className="px-3 text-sm font-[550] text-muted">{title}</h2>
      {children}
    </section>
  );
}
