import { buildButtonClass } from "#components/ui/button-class.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { buildHrefWithQueryChanges } from "#lib/design/query.ts";
import { useTranslator } from "#i18n";

type LinkedIncident = { id: string; title: string; slug: string };

/** The list that the incident was opened from, and its adjacent incidents in it. */
export type ListUrlAndAdjacentIncidents = {
  /** URL of the list. */
  href: string;
  previous: LinkedIncident | null;
  next: LinkedIncident | null;
};

/** Links back to the list and to the adjacent incidents in it. */
export function AdjacentIncidentLinks(links: ListUrlAndAdjacentIncidents) {
  const { href, previous, next } = links;
  const t = useTranslator("incidentPage");
  const hrefs = buildListAndAdjacentIncidentHrefs(links);
  return (
    <nav aria-label={t("inList")} className="no-print flex items-center gap-1">
      <AdjacentLink href={href} icon="list" label={t("toList")} title={t("toList")} />
      <AdjacentLink
        href={hrefs.previous}
        icon="chevron-left"
        label={t("previous")}
        title={previous ? previous.title : t("first")}
        keyed="k"
      />
      <AdjacentLink
        href={hrefs.next}
        icon="chevron-right"
        label={t("next")}
        title={next ? next.title : t("last")}
        keyed="j"
      />
    </nav>
  );
}

/** Returns the URLs of the list and of the adjacent incidents; null where there is none. */
export function buildListAndAdjacentIncidentHrefs(links: ListUrlAndAdjacentIncidents | null) {
  const to = (one: LinkedIncident | null | undefined) =>
    one && links ? buildHrefWithQueryChanges(`/e/${one.slug}/i/${one.id}`, {}, { list: links.href }) : null;
  return { list: links?.href ?? null, previous: to(links?.previous), next: to(links?.next) };
}

type AdjacentLinkProps = {
  href: string | null;
  icon: IconName;
  label: string;
  title: string;
  keyed?: string;
};

/** A link; at the end of the list, a placeholder that looks like one, so that nothing moves. */
function AdjacentLink({ href, icon, label, title, keyed }: AdjacentLinkProps) {
  const linkClass = buildButtonClass("quiet", "w-11 px-0");
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
