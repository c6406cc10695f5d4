import { ChevronLeft, ChevronRight, List } from "lucide-react";
import { buttonClass } from "#components/ui/button-class.ts";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { hrefWith } from "#lib/design/query.ts";
import { useWords } from "#words";

type Neighbour = { id: string; title: string; slug: string };

/** Where in which list the report stands that is looked at. */
export type Among = {
  /** The list's address. */
  href: string;
  previous: Neighbour | null;
  next: Neighbour | null;
};

/** The way through the list that one came from: back to it, and to the reports beside this one. */
export function InList(among: Among) {
  const { href, previous, next } = among;
  const t = useWords("case");
  const ways = waysIn(among);
  return (
    <nav aria-label={t("inList")} className="no-print flex items-center gap-1">
      <Way href={href} icon={List} label={t("toList")} title={t("toList")} />
      <Way
        href={ways.previous}
        icon={ChevronLeft}
        label={t("previous")}
        title={previous?.title ?? t("first")}
        keyed="k"
      />
      <Way
        href={ways.next}
        icon={ChevronRight}
        label={t("next")}
        title={next?.title ?? t("last")}
        keyed="j"
      />
    </nav>
  );
}

/** The addresses of the list and of what stands beside the report in it; null for what there is none of. */
export function waysIn(among: Among | null) {
  const to = (one: Neighbour | null | undefined) =>
    one && among ? hrefWith(`/e/${one.slug}/i/${one.id}`, {}, { list: among.href }) : null;
  return { list: among?.href ?? null, previous: to(among?.previous), next: to(among?.next) };
}

type WayProps = { href: string | null; icon: LucideIcon; label: string; title: string; keyed?: string };

/** A link; at the end of the list only the look of one, so that nothing moves. */
function Way({ href, icon, label, title, keyed }: WayProps) {
  const look = buttonClass("quiet", "w-11 px-0");
  const shape = <Icon as={icon} className="rtl:-scale-x-100" />;
  if (!href)
    return (
      <span title={title} className={`${look} pointer-events-none opacity-40`}>
        {shape}
        <span className="sr-only">{title}</span>
      </span>
    );
  return (
    <a href={href} aria-label={label} title={title} aria-keyshortcuts={keyed} className={look}>
      {shape}
    </a>
  );
}
