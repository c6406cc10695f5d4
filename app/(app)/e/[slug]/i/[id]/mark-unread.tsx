import { useTranslator } from "#i18n";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { markIncidentUnreadAction } from "./actions.ts";

type Props = {
  incident: Incident;
  /** URL of the list that the incident was opened from. */
  list: string | null;
};

/** Marks the incident as unread for the viewer and goes back to the list: staying would count as another view. */
export function MarkUnreadForm({ incident, list }: Props) {
  const t = useTranslator("incidentPage");
  return (
    <form action={markIncidentUnreadAction}>
      <input type="hidden" name="incidentId" value={incident.id} />
      <input type="hidden" name="eventId" value={incident.eventId} />
      {list !== null && <input type="hidden" name="list" value={list} />}
      <button type="submit" data-mark-new="" data-command={t("markNew")} className={MENU_ITEM_CLASS}>
        {t("markNew")}
      </button>
    </form>
  );
}
