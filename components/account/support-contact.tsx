import { useTranslator } from "#i18n";
import { TextLink } from "#components/ui/link.tsx";

/** The support contact; renders nothing if the operator has set none. */
export function SupportContact({ contact }: { contact: string | null }) {
  const t = useTranslator("signIn");
  if (contact === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      <span className="text-muted">{t("help")}</span>
      <TextLink
        href={contact.includes("://") ? contact : `mailto:${contact}`}
        className="inline-flex min-h-11 items-center wrap-anywhere"
      >
        {contact}
      </TextLink>
    </p>
  );
}
