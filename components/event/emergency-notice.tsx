import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { toDialString } from "#lib/design/dial.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import { phoneIcon, sirenIcon } from "#lib/design/icons.ts";

type EventEmergencyContactFields = {
  emergencyContact: string | null;
  emergencyPhone: string | null;
  emergencyNumber: string | null;
};

type Props = {
  settings: EventEmergencyContactFields;
  /** The reporter has said that somebody is in danger. */
  now?: boolean;
  /** The report has been sent, so the notice doesn't mention sending it. */
  sent?: boolean;
};

/** The contacts for an emergency: the event's numbers as buttons, and its contact in its own words. */
export function EmergencyContactsNotice({ settings, now = false, sent = false }: Props) {
  const t = useTranslator("report");
  const { emergencyContact, emergencyNumber } = settings;
  return (
    <section
      role={now ? "alert" : undefined}
      className="flex gap-3 rounded-surface border-2 border-danger bg-danger-soft p-4 max-[12rem]:p-2"
    >
      <IconWithoutScript of={sirenIcon} size={24} className="text-danger max-[12rem]:hidden" />
      <div className="grid min-w-0 grow gap-2">
        <h2 className={now ? "text-xl" : "text-base"}>{t(now ? "dangerNow" : "danger")}</h2>
        {!emergencyNumber && (now || !emergencyContact) && <p>{t("dangerPlain")}</p>}
        {emergencyNumber && <CallLink number={emergencyNumber} now={now} />}
        <ContactText {...settings} now={now} />
        {!sent && now && <p>{t("dangerThenSend")}</p>}
        {!sent && !now && (emergencyContact || emergencyNumber) && (
          <p className="text-sm">{t("dangerAfter")}</p>
        )}
      </div>
    </section>
  );
}

function ContactText({
  emergencyContact,
  emergencyPhone,
  now,
}: EventEmergencyContactFields & { now: boolean }) {
  return (
    <>
      {emergencyContact && (
        <p dir="auto" className={`whitespace-pre-line wrap-anywhere ${now ? "text-lg" : ""}`}>
          {emergencyContact}
        </p>
      )}
      {emergencyPhone && <CallLink number={emergencyPhone} now={now} />}
    </>
  );
}

function CallLink({ number, now }: { number: string; now: boolean }) {
  const t = useTranslator("report");
  const dialed = toDialString(number);
  if (dialed === null)
    return (
      <p dir="auto" className={`font-[550] wrap-anywhere ${now ? "text-lg" : ""}`}>
        {number}
      </p>
    );
  return (
    <a
      href={`tel:${dialed}`}
      className={buildButtonClass(
        now ? "danger" : "secondary",
        now ? "w-full text-lg sm:w-auto" : "w-full sm:w-auto",
      )}
    >
      <IconWithoutScript of={phoneIcon} />
      {t("dangerCall", { number: isolateBidi(number) })}
    </a>
  );
}
