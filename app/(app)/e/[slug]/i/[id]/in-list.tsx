import { ChevronLeft, ChevronRight, List } from "lucide-react";
import { buttonClass } from "#components/ui/button-class.ts";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { buildHref } from "#lib/design/query.ts";
import { useTranslator } from "#words";

type LinkedIncident = { id: string; title: string; slug: string };

/** Where in which list the report stands that is looked at. */
export type ListPosition = {
  /** The list's address. */
  href: string;
  previous: LinkedIncident | null;
  next: LinkedIncident | null;
};

/** The way through the list that one came from: back to it, and to the reports beside this one. */
export function AdjacentIncidentLinks(position: ListPosition) {
  const { href, previous, next } = position;
  const t = useTranslator("case");
  const hrefs = buildAdjacentHrefs(position);
  return (
    <nav aria-label={t("inList")} className="no-print flex items-center gap-1">
      <AdjacentLink href={href} icon={List} label={t("toList")} title={t("toList")} />
      <AdjacentLink
        href={hrefs.previous}
        icon={ChevronLeft}
        label={t("previous")}
        title={previous?.title ?? t("first")}
        keyed="k"
      />
      <AdjacentLink
        href={hrefs.next}
        icon={ChevronRight}
        label={t("next")}
        title={next?.title ?? t("last")}
        keyed="j"
      />
    </nav>
  );
}

/** The addresses of the list and of what stands beside the report in it; null for what there is none of. */
export function buildAdjacentHrefs(position: ListPosition | null) {
  const to = (one: LinkedIncident | null | undefined) =>
    one && position ? buildHref(`/e/${one.slug}/i/${one.id}`, {}, { list: position.href }) : null;
  return { list: position?.href ?? null, previous: to(position?.previous), next: to(position?.next) };
}

type AdjacentLinkProps = {
  href: string | null;
  icon: LucideIcon;
  label: string;
  title: string;
  keyed?: string;
};

/** A link; at the end of the list only the look of one, so that nothing moves. */
function AdjacentLink({ href, icon, label, title, keyed }: AdjacentLinkProps) {
  const linkClass = buttonClass("quiet", "w-11 px-0");
  const shape = <Icon as={icon} className="rtl:-scale-x-100" />;
  if (!href)
    return (
      <span title={title} className={`${linkClass} pointer-events-none opacity-40`}>
        {shape}
        <span className="sr-only">{title}</span>
      </span>
    );
  return (
    <a href={href} aria-label={label} title={title} aria-keyshortcuts={keyed} className={linkClass}>
      {shape}
    </a>
  );
}
