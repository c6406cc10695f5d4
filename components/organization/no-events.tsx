import { useTranslator } from "#i18n";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

/** Shown in place of the list when an organization has no events; those who may create one get the link. */
export function NoEventsState({ slug, mayCreate }: { slug: string; mayCreate: boolean }) {
  const t = useTranslator("organization");
  return (
    <EmptyState
      icon="calendar-plus"
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
