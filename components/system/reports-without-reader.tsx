import type { z } from "zod";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { Link } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { formatDateTime } from "#lib/design/time.ts";
import type { IncidentWithoutReaderList } from "#lib/readers/schema.ts";

type Props = z.output<typeof IncidentWithoutReaderList>;

/** Reports that nobody can read but a SystemAdmin, and what to do about each. */
export function ReportsWithoutReaderNotice({ incidents }: Props) {
  const t = useTranslator("system");
  if (incidents.length === 0) return null;
  return (
    <Notice kind="danger" title={t("withoutReader")}>
      <p>{t("withoutReaderAbout")}</p>
      <ul className="grid gap-2">
        {incidents.map((incident) => (
          <ReportWithoutReader key={incident.id} {...incident} />
        ))}
      </ul>
    </Notice>
  );
}

function ReportWithoutReader({ id, createdAt, event, organization }: Props["incidents"][number]) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return (
    <li className="grid">
      <bdi className="wrap-anywhere">{event.name}</bdi>
      <span className="flex flex-wrap gap-x-4">
        <Link href={`/e/${event.slug}/i/${id}`} className="text-link inline-flex min-h-11 items-center">
          {t("withoutReaderOpen", { time: formatDateTime(new Date(createdAt), times) })}
        </Link>
        <Link
          href={`/orgs/${organization.slug}/settings`}
          className="text-link inline-flex min-h-11 items-center wrap-anywhere"
        >
          {t("withoutReaderOutsidePerson", { organization: isolateBidi(organization.name) })}
        </Link>
      </span>
    </li>
  );
}
