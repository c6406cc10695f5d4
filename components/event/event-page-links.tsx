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
  /** The page that lists the events, where there may be many. */
  allHref?: string;
  variant?: ButtonVariant;
};

/** More events than these are on a page of their own, not in a menu that most people never open. */
const MAX_MENU_EVENTS = 8;

/** Links to a page of an event: of the only event, or of each of several, in a menu or on the page `allHref`. */
export function PageLinkPerEvent({ events, allHref, ...props }: Props) {
  const { page, icon, label, variant = "primary" } = props;
  const [onlyEvent] = events;
  if (!onlyEvent) return null;
  const isLong = allHref !== undefined && events.length > MAX_MENU_EVENTS;
  if (events.length > 1 && !isLong) return <EventMenu events={events} {...props} />;
  return (
    <LinkButton href={isLong ? allHref : `/e/${onlyEvent.slug}/${page}`} variant={variant} icon={icon}>
      {label}
    </LinkButton>
  );
}

function EventMenu({ events, page, icon, label, listLabel, variant = "primary" }: Omit<Props, "allHref">) {
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
