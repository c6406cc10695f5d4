import { useTranslator } from "#i18n";
import { LinkButton } from "#components/ui/button.tsx";

/** Links to the form for a new event of an organization. */
export function NewEventLink({ slug }: { slug: string }) {
  const t = useTranslator("organization");
  return (
    <LinkButton href={`/orgs/${slug}/events/new`} variant="primary" icon="calendar-plus">
      {t("newEvent")}
    </LinkButton>
  );
}
