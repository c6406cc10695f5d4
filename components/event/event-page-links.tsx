import { buildButtonClass, LinkButton, type ButtonVariant } from "#components/ui/button.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import { Menu } from "#components/ui/menu.tsx";

type Props = {
  events: readonly { name: string; slug: string }[];
  /** The last part of the page's URL. */
  page: "report" | "take";
  icon: IconName;
  label: string;
  /** Label of the list of events, where there are several. */
  listLabel: string;
  variant?: ButtonVariant;
};

/** Links to a page of an event: of the only event, or of each of several. */
export function PageLinkPerEvent({ events, page, icon, label, listLabel, variant = "primary" }: Props) {
  const [onlyEvent] = events;
  if (!onlyEvent) return null;
  if (events.length === 1)
    return (
      <LinkButton href={`/e/${onlyEvent.slug}/${page}`} variant={variant} icon={icon}>
        {label}
      </LinkButton>
    );
  return (
    <Menu
      className="max-sm:[&>div]:start-0 max-sm:[&>div]:end-auto"
      triggerClass={buildButtonClass(variant)}
      trigger={
        <>
          <Icon as={icon} /> {label}
        </>
      }
    >
      <ul aria-label={listLabel}>
        {events.map(({ name, slug }) => (
          <li key={slug}>
            <Link href={`/e/${slug}/${page}`} className={MENU_ITEM_CLASS}>
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
