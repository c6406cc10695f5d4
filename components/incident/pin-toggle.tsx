import clsx from "clsx";
import { Icon } from "#components/ui/icon.tsx";
import type { Incident } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";
import { togglePinAction } from "./actions.ts";

type Props = { incident: Pick<Incident, "id" | "eventId" | "title">; pinned: boolean };

export function IncidentPinToggle({ incident, pinned }: Props) {
  const t = useTranslator("mine");
  return (
    <form action={togglePinAction} data-pin="" className="grid">
      <input type="hidden" name="incidentId" value={incident.id} />
      <input type="hidden" name="eventId" value={incident.eventId} />
      {pinned && <input type="hidden" name="pinned" value="yes" />}
      <button
        type="submit"
        aria-pressed={pinned}
        data-command={t(pinned ? "unpin" : "pinIt")}
        aria-label={t("pin", { title: incident.title })}
        title={t(pinned ? "pinned" : "pinIt")}
        className={clsx(
          "inline-grid size-11 place-items-center rounded-control hover:bg-accent-soft hover:text-accent-hover",
          pinned ? "text-accent" : "text-muted",
        )}
      >
        <Icon as={pinned ? "star-filled" : "star"} />
      </button>
    </form>
  );
}
