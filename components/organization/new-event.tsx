import { CalendarPlus } from "lucide-react";
import { useTranslator } from "#words";
import { LinkButton } from "#components/ui/button.tsx";

/** Leads to the form for another event of an organization. */
export function NewEventLink({ slug }: { slug: string }) {
  const t = useTranslator("organization");
  return (
    <LinkButton href={`/orgs/${slug}/events/new`} variant="primary" icon={CalendarPlus}>
      {t("newEvent")}
    </LinkButton>
  );
}
