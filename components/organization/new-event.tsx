import { CalendarPlus } from "lucide-react";
import { useWords } from "#words";
import { LinkButton } from "#components/ui/button.tsx";

/** Leads to the form for another event of an organization. */
export function NewEvent({ slug }: { slug: string }) {
  const t = useWords("organization");
  return (
    <LinkButton href={`/orgs/${slug}/events/new`} variant="primary" icon={CalendarPlus}>
      {t("newEvent")}
    </LinkButton>
  );
}
