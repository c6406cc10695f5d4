import { Mail } from "lucide-react";
import { useTranslator } from "#i18n";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import type { Incident } from "#lib/incidents/schema.ts";

/** Links to the page with the letterboxes of reported people and witnesses. */
export function LetterboxesLink({ incident: { id, event } }: { incident: Incident }) {
  const t = useTranslator("letterboxes");
  return (
    <Card title={t("title")} className="no-print">
      <div className="grid justify-items-start gap-3">
        <p className="text-muted">{t("cardText")}</p>
        <LinkButton href={`/e/${event.slug}/i/${id}/letterboxes`} variant="secondary" icon={Mail}>
          {t("cardLink")}
        </LinkButton>
      </div>
    </Card>
  );
}
