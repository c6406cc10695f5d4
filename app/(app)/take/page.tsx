import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { loadPageData } from "#lib/http/page.ts";
import { summarizeIncidents } from "#lib/incidents/inbox-operations.ts";
import { useTranslator } from "#i18n";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await getTranslator("intake"))("take"),
});

/** Asks for which event to take a report, where there are too many for the inbox's menu. */
export default definePage(async function ChooseEventPage() {
  const { events } = await loadPageData(summarizeIncidents);
  if (events.length === 0) redirect("/inbox");
  const t = useTranslator("intake");
  return (
    <div className="grid gap-5">
      <PageHeader title={t("take")} meta={<p>{t("takeWhere")}</p>} />
      <Card>
        <ul aria-label={t("takeWhere")} className="grid gap-x-6 sm:grid-cols-2 lg:grid-cols-3">
          {events.map(({ name, slug }) => (
            <li key={slug}>
              <TextLink href={`/e/${slug}/take`} className="inline-flex min-h-11 items-center wrap-anywhere">
                <bdi>{name}</bdi>
              </TextLink>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
});
