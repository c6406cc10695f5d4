import { useTranslator } from "#i18n";

/**
 * How to reach the event's team without an account or an invite; renders nothing if the event has no contact
 * address.
 */
export function ContactNotice({ address }: { address: string | null }) {
  const t = useTranslator("report");
  if (!address) return null;
  return (
    <p>
      {t("reachNow")}{" "}
      <a className="text-link inline-flex min-h-11 items-center wrap-anywhere" href={`mailto:${address}`}>
        {address}
      </a>
    </p>
  );
}
