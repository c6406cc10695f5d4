import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { ErrorCodeCard } from "#components/reference/error-code-card.tsx";
import { CodeBlock } from "#components/reference/code.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { ERROR_RESPONSE_EXAMPLE_JSON } from "#lib/http/api-reference.ts";
import { listErrorReference } from "#lib/operation/error-reference.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("reference"))("codes") };
}

/** Every error code: what it means, and what a client does about it. The same list as docs/errors.md. */
export default definePage(async function ErrorCodes() {
  const statuses = Map.groupBy(listErrorReference(), ({ status }) => status);
  const t = useTranslator("reference");
  return (
    <NarrowFrame width="reading">
      <div className="grid gap-8">
        <PageHeader
          title={t("codes")}
          breadcrumbs={[{ label: t("title"), href: "/reference" }]}
          meta={<p className="max-w-[60ch]">{t("codesIntro")}</p>}
        />
        <CodeBlock>{ERROR_RESPONSE_EXAMPLE_JSON}</CodeBlock>
        <nav aria-label={t("codes")}>
          <ul className="flex flex-wrap gap-x-6">
            {[...statuses.keys()].map((status) => (
              <li key={status}>
                <TextLink href={`#status-${status}`} className="inline-flex min-h-11 items-center">
                  {t("codesStatus", { status })}
                </TextLink>
              </li>
            ))}
          </ul>
        </nav>
        {[...statuses].map(([status, entries]) => (
          <section key={status} aria-labelledby={`status-${status}`} className="grid min-w-0 gap-4">
            <h2 id={`status-${status}`} className="scroll-mt-4 text-lg">
              {t("codesStatus", { status })}
            </h2>
            {entries.map((entry) => (
              <ErrorCodeCard key={entry.code} entry={entry} />
            ))}
          </section>
        ))}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);
