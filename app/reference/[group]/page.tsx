import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { EndpointCard } from "#components/reference/endpoint-card.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { throwNotFound } from "#lib/http/page.ts";
import { isApiReferenceGroup } from "#lib/http/api-reference.ts";
import { loadApiReferenceEndpoints } from "../reference.ts";

type Props = { params: Promise<{ group: string }> };

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("reference"))("title") };
}

/** The endpoints of a group, each with its input, its output, and an example call to copy. */
export default definePage(async function ReferenceGroup({ params }: Props) {
  const { group } = await params;
  if (!isApiReferenceGroup(group)) throwNotFound();
  const endpoints = (await loadApiReferenceEndpoints()).filter((one) => one.group === group);
  const t = useTranslator("reference");
  return (
    <NarrowFrame width="reading">
      <div className="grid gap-8">
        <PageHeader title={t(`g.${group}`)} breadcrumbs={[{ label: t("title"), href: "/reference" }]} />
        <nav aria-label={t("jumpTo")}>
          <ul className="grid gap-x-6 sm:grid-cols-2">
            {endpoints.map(({ id, method, summary }) => (
              <li key={`${method} ${id}`}>
                <TextLink href={`#${id}`} className="inline-flex min-h-11 items-center" lang="en">
                  {summary}
                </TextLink>
              </li>
            ))}
          </ul>
        </nav>
        {endpoints.map((endpoint) => (
          <EndpointCard key={`${endpoint.method} ${endpoint.id}`} endpoint={endpoint} />
        ))}
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);
