import { useTranslator } from "#i18n";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { ReadersData } from "./readers-card.tsx";

type Props = Pick<ReadersData, "emergencies"> & { now: Date };

/** Says to whoever opened the incident in an emergency that they can't change it. */
export function EmergencyReaderNotice() {
  const t = useTranslator("incidentPage");
  return <Notice title={t("emergency.readOnly")} />;
}

/** Says to the team when somebody opened the incident in an emergency, who, and why. */
export const EmergencyNotices = ({ emergencies, now }: Props) =>
  emergencies.map((emergency) => <EmergencyNotice key={emergency.id} {...emergency} now={now} />);

function EmergencyNotice({ person, reason, at, now }: Props["emergencies"][number] & { now: Date }) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  return (
    <Notice title={t("emergency.title")}>
      <p className="wrap-anywhere">
        {t("emergency.by", { name: isolateBidi(person?.name ?? tIncident("gone")) })}
      </p>
      <p className="text-sm text-muted">
        <Time value={at} now={now} show="both" />
      </p>
      {reason && <p className="wrap-anywhere">{t("emergency.reason", { reason: isolateBidi(reason) })}</p>}
    </Notice>
  );
}
