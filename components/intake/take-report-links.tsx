import { NotebookPen } from "lucide-react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { LinkButton } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { buildMenuItemClass } from "#components/ui/menu-item.ts";
import { Menu } from "#components/ui/menu.tsx";

/** Links to the page that takes a report for somebody: of the only event, or of each of several. */
export function TakeReportLinks({ events }: { events: readonly { name: string; slug: string }[] }) {
  const t = useTranslator("intake");
  const [onlyEvent] = events;
  if (!onlyEvent) return null;
  if (events.length === 1)
    return (
      <LinkButton href={`/e/${onlyEvent.slug}/take`} variant="secondary" icon={NotebookPen}>
        {t("take")}
      </LinkButton>
    );
  return (
    <Menu
      className="max-sm:[&>div]:start-0 max-sm:[&>div]:end-auto"
      triggerClass={buildButtonClass("secondary")}
      trigger={
        <>
          <Icon as={NotebookPen} /> {t("take")}
        </>
      }
    >
      <ul aria-label={t("takeWhere")}>
        {events.map(({ name, slug }) => (
          <li key={slug}>
            <Link href={`/e/${slug}/take`} className={buildMenuItemClass}>
              <span dir="auto" className="wrap-anywhere">
                {name}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
