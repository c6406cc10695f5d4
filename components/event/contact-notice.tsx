import { useTranslator } from "#i18n";

/**
 * The contact address of the event's team, for people without an account or an invite; renders nothing if there is
 * none.
 */
export function EventTeamContactNotice({ address }: { address: string | null }) {
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
