import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Incident } from "#lib/incidents/schema.ts";
import type { IntakeDetails } from "#lib/conversations/intake-schema.ts";
import { handDeviceOverForReadBackAction } from "../../take/actions.ts";

type Props = {
  incident: Incident;
  intake: IntakeDetails;
  now: Date;
  /** Names corrections of the person that were sent after the hand-over had ended (`takeRefusedForm`). */
  corrections: string | undefined;
};

/**
 * Says how a team member took a report for somebody: by whom, whether the person has confirmed it, and which steps the
 * team took for them.
 */
export function IntakeCard({ incident, intake, now, corrections }: Props) {
  const t = useTranslator("intake");
  const tIncident = useTranslator("incident");
  const { channel, takenAt, taker, witness, confirmedAt, corrected } = intake;
  const nameOf = (person: { name: string } | null) => <bdi>{person?.name ?? tIncident("gone")}</bdi>;
  return (
    <Card title={t("card.title")} id="intake">
      <div className="grid gap-4">
        {incident.unconfirmed && (
          <UnconfirmedNotice incident={incident} intake={intake} corrections={corrections} />
        )}
        <DefinitionList
          layout="stacked"
          items={[
            { term: t("card.taker"), value: nameOf(taker) },
            ...(witness ? [{ term: t("card.witness"), value: nameOf(witness) }] : []),
            { term: t("card.channel"), value: t(`channel.${channel}`) },
            { term: t("card.at"), value: <Time value={takenAt} now={now} show="both" /> },
            ...(confirmedAt
              ? [
                  {
                    term: t("card.confirmed"),
                    value: (
                      <>
                        <Time value={confirmedAt} now={now} show="both" />
                        {corrected && ` (${t("card.corrected")})`}
                      </>
                    ),
                  },
                ]
              : []),
          ]}
        />
        <FirstResponseList intake={intake} now={now} />
      </div>
    </Card>
  );
}

/** A badge that links to the card about the intake. */
export function UnconfirmedIntakeBadge() {
  const t = useTranslator("intake");
  return (
    <a href="#intake" className="-my-2.5 inline-flex min-h-11 items-center">
      <Badge tone="caution">{t("unconfirmed")}</Badge>
    </a>
  );
}

function UnconfirmedNotice({ incident: { id, event }, intake, corrections }: Omit<Props, "now">) {
  const t = useTranslator("intake");
  return (
    <Notice kind="warning" title={t("card.unconfirmed")}>
      <p>{t("card.unconfirmedText")}</p>
      {intake.canConfirm ? (
        <form action={handDeviceOverForReadBackAction} className="no-print grid gap-2 pt-2">
          <input type="hidden" name="slug" value={event.slug} />
          <input type="hidden" name="incidentId" value={id} />
          {corrections !== undefined && <input type="hidden" name="return" value={corrections} />}
          <p>{t("signsOut")}</p>
          <p>
            <button className={buildButtonClass()}>{t("card.readBack")}</button>
          </p>
        </form>
      ) : (
        <p>{t("card.onlyTaker")}</p>
      )}
    </Notice>
  );
}

function FirstResponseList({ intake: { firstResponses }, now }: Pick<Props, "intake" | "now">) {
  const t = useTranslator("intake");
  if (firstResponses.length === 0) return null;
  return (
    <div className="grid gap-1.5">
      <h3 className="text-sm text-muted">{t("card.first")}</h3>
      <ul className="grid gap-1.5">
        {firstResponses.map(({ kind, at }) => (
          <li key={kind} className="flex flex-wrap justify-between gap-x-3">
            <span>{t(`first.${kind}`)}</span>
            {at && <Time value={at} now={now} show="exact" />}
          </li>
        ))}
      </ul>
    </div>
  );
}
