import { CalendarPlus } from "lucide-react";
import { useWords } from "#words";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

/** An organization before its first event. */
export function NoEvents({ slug, mayCreate }: { slug: string; mayCreate: boolean }) {
  const t = useWords("organization");
  return (
    <EmptyState
      icon={CalendarPlus}
      title={t("noEvent")}
      actions={
        mayCreate && (
          <LinkButton href={`/orgs/${slug}/events/new`} variant="primary">
            {t("noEvent.create")}
          </LinkButton>
        )
      }
    >
      <p>{t("noEvent.about")}</p>
    </EmptyState>
  );
}
